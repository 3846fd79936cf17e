/**
 * Functions of the driver API for programs that look them up by name while they run (`cuGetProcAddress`, `cudaGetDriverEntryPoint`, `dlsym`): they
 * need pointers, which the linker gives to what a source names. This is that source.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cudaIncludeFolder } from '../base/paths.ts';
import { functionImports } from '../base/wasm-binary.ts';

/** Gives a pointer for a name; the runtime calls it. */
export const entryPointFunction = '__simsight_entry_point';

const seekers = /^(?:cuGetProcAddress_v2|cudaGetDriverEntryPoint(?:ByVersion)?(?:_ptsz)?|__cudaDriverSymbol)$/;

/**
 * The library exports functions of versions before as well, under names without a version: where only lengths and addresses were of 32 bits, the function of
 * today stands for them. These took other parameters.
 */
const otherBefore =
  /^__SIMSIGHT_ENTRY\((cu(?:GetProcAddress|Graph(?!ics)|Stream(?:Begin|Get|Update)Capture|Mem(?:Advise|Prefetch)|CtxCreate))/;

/** Sources in C, by file name, that give the linked program what it may look up: functions whose names are in its data. None where it looks up nothing. */
export function entryPointSources(host: Uint8Array<ArrayBuffer>): [name: string, text: string][] {
  const bytes = Buffer.from(host.buffer, host.byteOffset, host.length);
  if (!functionImports(host).some(({ name }) => seekers.test(name))) return [];
  const list = readFileSync(join(cudaIncludeFolder, 'simsight/driver_entries.h'), 'utf8');
  const entries = list.split('\n').filter((line) => {
    const name = /^__SIMSIGHT_ENTRY\((\w+),/.exec(line)?.[1];
    return name !== undefined && bytes.includes(name);
  });
  return [
    ['entry-points.c', sourceOf('', entries, 'version') + lookUp],
    [
      'entry-points-per-thread.c',
      sourceOf('PerThread', entries, 'perThread', '#define CUDA_API_PER_THREAD_DEFAULT_STREAM\n'),
    ],
  ];
}

/**
 * Functions are imported under symbols that no program has: programs that look them up have pointers of the functions' own names (cuda-samples'
 * `cuda_drvapi_dynlink.c`). `since`: of the parameters of an entry, the version that counts.
 */
const sourceOf = (suffix: string, entries: string[], since: string, before = ''): string => `${before}#include <cuda.h>
#include <string.h>
#define TEXT(name) #name
#define NAME(name) TEXT(name)
#define OF(function) OF_EXPANDED(function)
#define OF_EXPANDED(function) __simsight_entry_of_##function
#define __SIMSIGHT_ENTRY(name, function, version, perThread) \\
  extern __typeof(function) OF(function) __attribute__((import_module("env"), import_name(NAME(function))));
${entries.join('\n')}
#undef __SIMSIGHT_ENTRY
#define __SIMSIGHT_ENTRY(name, function, version, perThread) {#name, NAME(function), #name, ${since}, (void *)OF(function)},
#define __SIMSIGHT_OTHER(name, function, version, perThread) {#name, NAME(function), "", ${since}, (void *)OF(function)},
static const struct { const char *name, *exported, *before; int since; void *function; } entries[] = {
${entries.map((line) => line.replace(otherBefore, '__SIMSIGHT_OTHER($1')).join('\n')}
{0}};
/* -1: there is one, of later versions only. */
void *__simsight_entry${suffix}(const char *name, int version) {
  void *found = 0;
  for (int i = 0; entries[i].name; i++)
    if (!strcmp(entries[i].name, name)) {
      if (entries[i].since <= version) found = entries[i].function;
      else if (!found) found = (void *)-1l;
    }
  return found;
}
void *__simsight_exported${suffix}(const char *name) {
  for (int i = 0; entries[i].name; i++)
    if (!strcmp(entries[i].exported, name) || !strcmp(entries[i].before, name)) return entries[i].function;
  return 0;
}
`;

/** Version 0: by the name that the driver's library exports. */
const lookUp = `void *__simsight_entryPerThread(const char *name, int version), *__simsight_exportedPerThread(const char *name);
void *${entryPointFunction}(const char *name, int version, int perThread) {
  if (version) return perThread ? __simsight_entryPerThread(name, version) : __simsight_entry(name, version);
  void *found = __simsight_exported(name);
  return found ? found : __simsight_exportedPerThread(name);
}
`;
