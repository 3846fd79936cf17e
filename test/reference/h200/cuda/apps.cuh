// What v_apps.cu and w_apps.cu have in common.
#pragma once
#include "common.cuh"

static const size_t M = 1 << 20;

inline Check exact(double bad) { return Check{bad == 0, bad, "exact"}; }
inline Check close(double worst, double tol) { return Check{worst < tol, worst, "largest error, samples"}; }

// Runs a case of a suite. What has to be prepared each time is not timed in a row.
inline auto adder(Suite& S) {
  return [&S](const char* section, const char* name, const char* variant, const J& params, std::function<void()> run,
              std::function<Check()> check, std::function<void()> prep = {}) {
    Case c;
    c.section = section; c.name = name; c.variant = variant; c.params = params.done(); c.run = run; c.check = check; c.prep = prep;
    if (prep) c.batch = false;
    S.run(c);
  };
}
