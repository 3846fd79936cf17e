/** C++ exceptions of host programs: thrown, chosen by type, passed on, kept, and left uncaught. */
import { expect, test } from 'vitest';
import { runHostProgram } from '../../../engine/cuda/index.ts';
import { fakeRun } from './fakes.ts';
import { compileText } from './program.ts';

const program = `#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>
#include <new>
#include <exception>
struct Base { virtual ~Base() {} int v = 1; };
struct Other { virtual ~Other() {} int w = 2; };
struct Derived : Other, Base { int u = 3; };
static int alive = 0; static char *volatile sink;
struct Guard { Guard() { alive++; } ~Guard() { alive--; } };
static void thrower(int n) { Guard g; if (n == 0) throw std::runtime_error("bad " + std::to_string(n)); if (n == 1) throw 42; if (n == 2) throw Derived(); if (n==3) throw "text"; if (n==4) { std::vector<int> v(3); (void)v.at(7); } if (n==5) { volatile size_t n = ~(size_t)0 / 4; sink = new char[n]; } if (n == 6) thrower(0); }
struct Loud { ~Loud() { puts("destructor"); } };
int main(int argc, char **) {
  std::string text = "x"; text.reserve(1000);
  for (int i = 0; i < 6; i++) {
    try { thrower(i); puts("no"); }
    catch (int x) { printf("int %d\\n", x); }
    catch (const Base &b) { printf("base %d\\n", b.v); }
    catch (const char *t) { printf("%s\\n", t); }
    catch (const std::out_of_range &e) { printf("range %s\\n", e.what()); }
    catch (const std::bad_alloc &e) { printf("alloc %s\\n", e.what()); }
    catch (const std::exception &e) { printf("std %s\\n", e.what()); }
    printf("alive %d\\n", alive);
  }
  try { try { throw 1; } catch (...) { throw; } } catch (int x) { printf("rethrown %d\\n", x); }
  std::exception_ptr p;
  try { throw std::logic_error("kept"); } catch (...) { p = std::current_exception(); }
  try { std::rethrow_exception(p); } catch (const std::logic_error &e) { printf("%s\\n", e.what()); }
  printf("%d\\n", std::uncaught_exceptions());
  if (argc > 1) throw std::invalid_argument("nobody catches this");
  Loud loud;
  try { exit(3); } catch (...) { puts("caught exit"); }
}
`;

test('exceptions', async () => {
  const { host } = await compileText(program);
  const { options, system } = fakeRun(host);
  const { exitCode } = await runHostProgram(options);
  expect(system.output.stdout.split('\n')).toEqual([
    'std bad 0',
    'alive 0',
    'int 42',
    'alive 0',
    'base 1',
    'alive 0',
    'text',
    'alive 0',
    'range vector',
    'alive 0',
    'alloc std::bad_alloc',
    'alive 0',
    'rethrown 1',
    'kept',
    '0',
    '',
  ]);
  expect(exitCode).toBe(3);

  const uncaught = runHostProgram({ ...fakeRun(host).options, arguments: ['more'] });
  await expect(uncaught).rejects.toMatchObject({
    code: 'host-program-failed',
    message: 'app threw an exception of type std::invalid_argument: nobody catches this.',
  });
});
