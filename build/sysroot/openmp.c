/*
 * OpenMP's run time for host programs: what Clang calls for its directives (`__kmpc_…`), and the functions of omp.h. A team has as many
 * threads as the program or OMP_NUM_THREADS asks for, else as many as there are processors: host threads of the simulation, which are kept
 * for the next region. Tasks are executed where they are made, which OpenMP allows.
 *
 * Threads are coroutines that change only where they wait, call CUDA or ask the time: plain variables need no lock between such places.
 */
#include <omp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef void Microtask(void);

/* A loop whose iterations are handed out as threads ask for them. */
typedef struct Loop {
  unsigned number;
  int finished;
  uint64_t next, ordered;
} Loop;
enum { loopsAtOnce = 8, mostArguments = 128 };

struct Thread;
typedef struct Team {
  struct Team *outer;
  /* The thread that came to the region, whose settings hold for all. */
  const struct Thread *first;
  int size, level, activeLevel, numberInOuter;
  Microtask *run;
  int count;
  void **arguments;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  /* Of barriers: threads that have come to this one, and how many there were. */
  int arrived;
  unsigned barriers;
  /* Threads that have left the region. */
  int left;
  unsigned singles;
  void *copied;
  Loop loops[loopsAtOnce];
} Team;

/* A thread that waits for a region. */
typedef struct Worker {
  struct Worker *next;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  Team *team;
  int number, id;
} Worker;

typedef struct Thread {
  Team *team;
  int number, id, pushed;
  int wanted, mostActiveLevels, dynamic, device;
  int schedule, chunk;
  /* Regions of its team that it has been in: `single`, and loops. */
  unsigned singles, loops;
  /* The loop that it is in. */
  Loop *loop;
  int kind;
  uint64_t trips, size, iteration;
  int64_t first, step;
  int bumped;
} Thread;

static Team alone = {.size = 1, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
static _Thread_local Thread self = {.team = &alone, .mostActiveLevels = 1, .schedule = omp_sched_static};
static Worker *idle;
static int threads = 1;

/* What the environment says, once. */
static int fromEnvironment = -1;
static int wantedThreads(void) {
  if (self.wanted) return self.wanted;
  if (fromEnvironment < 0) {
    const char *text = getenv("OMP_NUM_THREADS");
    fromEnvironment = text ? atoi(text) : 0;
  }
  return fromEnvironment > 0 ? fromEnvironment : omp_get_num_procs();
}

/* ---- teams ---- */

/* A function of WebAssembly is called with the very arguments that it has: calls.h has a case for each number of them. */
static void call(Microtask *run, int count, void **a) {
  int id = self.id, number = self.number;
  switch (count) {
#include "calls.h"
  default: abort();
  }
}

/* Executes the region as a thread of the team. */
static void enter(Team *team, int number) {
  const Thread before = self;
  const Thread *first = team->first;
  self = (Thread){
      .team = team,
      .number = number,
      .id = before.id,
      .wanted = first->wanted,
      .mostActiveLevels = first->mostActiveLevels,
      .dynamic = first->dynamic,
      .device = first->device,
      .schedule = first->schedule,
      .chunk = first->chunk,
  };
  call(team->run, team->count, team->arguments);
  self = before;
}

static void *work(void *own) {
  Worker *worker = own;
  self.id = worker->id;
  for (;;) {
    pthread_mutex_lock(&worker->lock);
    while (!worker->team) pthread_cond_wait(&worker->changed, &worker->lock);
    pthread_mutex_unlock(&worker->lock);
    Team *team = worker->team;
    enter(team, worker->number);
    /* It is there for others before the region is over. */
    worker->team = 0;
    worker->next = idle;
    idle = worker;
    pthread_mutex_lock(&team->lock);
    if (++team->left == team->size - 1) pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
  }
}

/* A thread that waits for a region; null: there are no more. */
static Worker *take(void) {
  Worker *worker = idle;
  if (worker) {
    idle = worker->next;
    return worker;
  }
  worker = malloc(sizeof *worker);
  if (!worker) return 0;
  *worker = (Worker){.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .id = threads};
  pthread_t thread;
  if (pthread_create(&thread, 0, work, worker)) {
    free(worker);
    return 0;
  }
  pthread_detach(thread);
  threads++;
  return worker;
}

static void region(Microtask *run, int count, void **arguments, int size) {
  Team *outer = self.team;
  const int isActive = size > 1 && outer->activeLevel < self.mostActiveLevels;
  const Thread first = self;
  Team team = {
      .outer = outer,
      .first = &first,
      .size = 1,
      .level = outer->level + 1,
      .activeLevel = outer->activeLevel + isActive,
      .numberInOuter = self.number,
      .run = run,
      .count = count,
      .arguments = arguments,
      .lock = PTHREAD_MUTEX_INITIALIZER,
      .changed = PTHREAD_COND_INITIALIZER,
  };
  /* How many they are is known before the first of them begins. */
  Worker *others = 0, *last = 0;
  for (Worker *worker; isActive && team.size < size && (worker = take()); team.size++) {
    worker->number = team.size;
    worker->next = 0;
    *(last ? &last->next : &others) = worker;
    last = worker;
  }
  for (Worker *worker = others, *next; worker; worker = next) {
    next = worker->next;
    pthread_mutex_lock(&worker->lock);
    worker->team = &team;
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
  }
  enter(&team, 0);
  if (team.size == 1) return;
  pthread_mutex_lock(&team.lock);
  while (team.left < team.size - 1) pthread_cond_wait(&team.changed, &team.lock);
  pthread_mutex_unlock(&team.lock);
}

static void collect(void **arguments, int count, va_list values) {
  if (count >= mostArguments) abort();
  for (int i = 0; i < count; i++) arguments[i] = va_arg(values, void *);
}
void __kmpc_fork_call(void *where, int count, Microtask *run, ...) {
  void *arguments[mostArguments];
  va_list values;
  va_start(values, run);
  collect(arguments, count, values);
  va_end(values);
  const int size = self.pushed ? self.pushed : wantedThreads();
  self.pushed = 0;
  region(run, count, arguments, size);
}
void __kmpc_fork_teams(void *where, int count, Microtask *run, ...) {
  void *arguments[mostArguments];
  va_list values;
  va_start(values, run);
  collect(arguments, count, values);
  va_end(values);
  call(run, count, arguments);
}
void __kmpc_push_num_threads(void *where, int id, int count) { self.pushed = count > 0 ? count : 1; }
void __kmpc_push_num_teams(void *where, int id, int teams, int count) {}
void __kmpc_push_proc_bind(void *where, int id, int bind) {}
int __kmpc_global_thread_num(void *where) { return self.id; }
int __kmpc_bound_thread_num(void *where) { return self.number; }
int __kmpc_bound_num_threads(void *where) { return self.team->size; }
int __kmpc_in_parallel(void *where) { return self.team->activeLevel > 0; }

/* A region of one thread, which the program itself calls. */
typedef struct Serial {
  Team team;
  Thread before;
} Serial;
void __kmpc_serialized_parallel(void *where, int id) {
  Serial *serial = calloc(1, sizeof *serial);
  if (!serial) abort();
  serial->before = self;
  serial->team.outer = self.team;
  serial->team.size = 1;
  serial->team.level = self.team->level + 1;
  serial->team.activeLevel = self.team->activeLevel;
  serial->team.numberInOuter = self.number;
  self.team = &serial->team;
  self.number = 0;
  self.pushed = 0;
  self.singles = self.loops = 0;
}
void __kmpc_end_serialized_parallel(void *where, int id) {
  Serial *serial = (Serial *)self.team;
  self = serial->before;
  free(serial);
}

/* ---- waiting for each other ---- */

void __kmpc_barrier(void *where, int id) {
  Team *team = self.team;
  if (team->size == 1) return;
  pthread_mutex_lock(&team->lock);
  const unsigned number = team->barriers;
  if (++team->arrived == team->size) {
    team->arrived = 0;
    team->barriers++;
    pthread_cond_broadcast(&team->changed);
  } else
    while (team->barriers == number) pthread_cond_wait(&team->changed, &team->lock);
  pthread_mutex_unlock(&team->lock);
}
int __kmpc_cancel_barrier(void *where, int id) {
  __kmpc_barrier(where, id);
  return 0;
}
int __kmpc_cancel(void *where, int id, int kind) { return 0; }
int __kmpc_cancellationpoint(void *where, int id, int kind) { return 0; }
void __kmpc_flush(void *where) {}

int __kmpc_master(void *where, int id) { return self.number == 0; }
void __kmpc_end_master(void *where, int id) {}
int __kmpc_masked(void *where, int id, int filter) { return self.number == filter; }
void __kmpc_end_masked(void *where, int id) {}

int __kmpc_single(void *where, int id) {
  if (++self.singles <= self.team->singles) return 0;
  self.team->singles = self.singles;
  return 1;
}
void __kmpc_end_single(void *where, int id) {}
void __kmpc_copyprivate(void *where, int id, size_t bytes, void *data, void (*copy)(void *, void *), int didIt) {
  if (didIt) self.team->copied = data;
  __kmpc_barrier(where, id);
  if (!didIt) copy(data, self.team->copied);
  __kmpc_barrier(where, id);
}

static pthread_mutex_t *mutexOf(void **lock) {
  if (!*lock) {
    pthread_mutex_t *made = malloc(sizeof *made);
    if (!made) abort();
    *made = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    *lock = made;
  }
  return *lock;
}
void __kmpc_critical(void *where, int id, void **name) { pthread_mutex_lock(mutexOf(name)); }
void __kmpc_critical_with_hint(void *where, int id, void **name, uint32_t hint) { pthread_mutex_lock(mutexOf(name)); }
void __kmpc_end_critical(void *where, int id, void **name) { pthread_mutex_unlock(mutexOf(name)); }

/* Reductions: one thread after the other adds what it has. */
int __kmpc_reduce_nowait(void *where, int id, int count, size_t bytes, void *data, void *reduce, void **name) {
  if (self.team->size > 1) pthread_mutex_lock(mutexOf(name));
  return 1;
}
void __kmpc_end_reduce_nowait(void *where, int id, void **name) {
  if (self.team->size > 1) pthread_mutex_unlock(mutexOf(name));
}
int __kmpc_reduce(void *where, int id, int count, size_t bytes, void *data, void *reduce, void **name) {
  return __kmpc_reduce_nowait(where, id, count, bytes, data, reduce, name);
}
void __kmpc_end_reduce(void *where, int id, void **name) {
  __kmpc_end_reduce_nowait(where, id, name);
  __kmpc_barrier(where, id);
}

/* ---- loops ---- */

/* Clang's numbers of schedules; 32 more where iterations have an order. */
enum { staticChunked = 33, staticBalanced = 34, dynamicChunked = 35, guided = 36, byRuntime = 37, automatic = 38 };
enum { orderedFrom = 65, kindBits = 0xffff };

/* Divides iterations in advance: each thread gets its bounds, the distance to its next chunk, and whether it has the last iteration. */
#define STATIC_INIT(name, T, U, S)                                                                                     \
  void __kmpc_for_static_init_##name(void *where, int id, int kind, int *last, T *lower, T *upper, S *stride, S step,  \
                                     S chunk) {                                                                        \
    const U size = self.team->size, number = self.number;                                                              \
    if (step > 0 ? *upper < *lower : *lower < *upper) {                                                                \
      if (last) *last = 0;                                                                                             \
      *stride = step;                                                                                                  \
      return;                                                                                                          \
    }                                                                                                                  \
    const U trips = (step > 0 ? ((U)*upper - (U)*lower) / (U)step : ((U)*lower - (U)*upper) / (0 - (U)step)) + 1;       \
    if ((kind & kindBits) == staticChunked) {                                                                          \
      if (chunk < 1) chunk = 1;                                                                                        \
      const U span = (U)chunk * (U)step;                                                                               \
      *stride = (S)(span * size);                                                                                      \
      *lower = (T)((U)*lower + span * number);                                                                         \
      *upper = (T)((U)*lower + span - (U)step);                                                                        \
      if (last) *last = (trips - 1) / (U)chunk % size == number;                                                       \
      return;                                                                                                          \
    }                                                                                                                  \
    const U each = trips / size, more = trips % size, own = each + (number < more);                                    \
    const U first = number * each + (number < more ? number : more);                                                   \
    *stride = (S)trips;                                                                                                \
    if (last) *last = own != 0 && first + own == trips;                                                                \
    /* Without an iteration: bounds that cross, which the first and the last value of a type must not make wrap. */     \
    if (own == 0) {                                                                                                    \
      if (step > 0) *lower = 1, *upper = 0;                                                                            \
      else *lower = 0, *upper = 1;                                                                                     \
      return;                                                                                                          \
    }                                                                                                                  \
    *lower = (T)((U)*lower + first * (U)step);                                                                         \
    *upper = (T)((U)*lower + (own - 1) * (U)step);                                                                     \
  }
STATIC_INIT(4, int32_t, uint32_t, int32_t)
STATIC_INIT(4u, uint32_t, uint32_t, int32_t)
STATIC_INIT(8, int64_t, uint64_t, int64_t)
STATIC_INIT(8u, uint64_t, uint64_t, int64_t)
void __kmpc_for_static_fini(void *where, int id) {}

static void beginLoop(int kind, uint64_t first, uint64_t trips, int64_t step, int64_t chunk) {
  Team *team = self.team;
  kind &= kindBits;
  if (kind >= orderedFrom) kind -= 32;
  if (kind == byRuntime) {
    static const int kinds[] = {staticBalanced, staticChunked, dynamicChunked, guided, automatic};
    const char *text = self.chunk || self.schedule != omp_sched_static ? 0 : getenv("OMP_SCHEDULE");
    kind = kinds[self.schedule & 7];
    chunk = self.chunk;
    if (text) {
      const char *comma = strchr(text, ',');
      kind = !strncmp(text, "dynamic", 7) ? dynamicChunked : !strncmp(text, "guided", 6) ? guided : staticChunked;
      chunk = comma ? atoi(comma + 1) : 0;
    }
  }
  if (kind == staticBalanced || kind == automatic || (kind == staticChunked && chunk < 1)) {
    chunk = (trips + team->size - 1) / team->size;
    kind = staticChunked;
  }
  self.kind = kind;
  self.first = first;
  self.trips = trips;
  self.step = step;
  self.size = chunk < 1 ? 1 : chunk;
  self.iteration = self.number * self.size;
  self.bumped = 0;
  const unsigned number = ++self.loops;
  Loop *loop = self.loop = &team->loops[number % loopsAtOnce];
  if (team->size > 1) {
    pthread_mutex_lock(&team->lock);
    /* Some may still be in a loop before. */
    while (loop->number != number && loop->number != 0) pthread_cond_wait(&team->changed, &team->lock);
  }
  if (loop->number != number) *loop = (Loop){.number = number};
  if (team->size > 1) pthread_mutex_unlock(&team->lock);
}

/* The next chunk: from self.iteration on. 0: there is none. */
static uint64_t nextChunk(int *last) {
  Team *team = self.team;
  Loop *loop = self.loop;
  uint64_t count = self.size;
  if (self.kind == staticChunked) {
    const uint64_t begin = self.iteration;
    if (begin < self.trips) {
      if (count > self.trips - begin) count = self.trips - begin;
      *last = begin + count == self.trips;
      return count;
    }
  } else {
    const uint64_t left = self.trips - loop->next;
    if (left) {
      if (self.kind == guided && left / (2 * team->size) > count) count = left / (2 * team->size);
      if (count > left) count = left;
      self.iteration = loop->next;
      loop->next += count;
      *last = loop->next == self.trips;
      return count;
    }
  }
  if (team->size > 1) pthread_mutex_lock(&team->lock);
  if (++loop->finished == team->size) {
    loop->number = 0;
    if (team->size > 1) pthread_cond_broadcast(&team->changed);
  }
  if (team->size > 1) pthread_mutex_unlock(&team->lock);
  return 0;
}

#define DISPATCH(name, T, U, S)                                                                                        \
  void __kmpc_dispatch_init_##name(void *where, int id, int kind, T lower, T upper, S step, S chunk) {                 \
    const int isEmpty = step > 0 ? upper < lower : lower < upper;                                                      \
    const U span = step > 0 ? ((U)upper - (U)lower) / (U)step : ((U)lower - (U)upper) / (0 - (U)step);                 \
    beginLoop(kind, (uint64_t)lower, isEmpty ? 0 : (uint64_t)span + 1, step, chunk);                                   \
  }                                                                                                                    \
  int __kmpc_dispatch_next_##name(void *where, int id, int *last, T *lower, T *upper, S *stride) {                     \
    int isLast = 0;                                                                                                    \
    const uint64_t count = nextChunk(&isLast), begin = self.iteration;                                                 \
    if (!count) return 0;                                                                                              \
    if (last) *last = isLast;                                                                                          \
    *lower = (T)(self.first + begin * self.step);                                                                      \
    *upper = (T)(self.first + (begin + count - 1) * self.step);                                                        \
    if (stride) *stride = (S)self.step;                                                                                \
    chunkBegins(begin, count);                                                                                         \
    return 1;                                                                                                          \
  }                                                                                                                    \
  void __kmpc_dispatch_fini_##name(void *where, int id) { iterationEnds(); }

/* Where the next own chunk of a static loop begins, and the iteration that the thread is at. */
static _Thread_local uint64_t current;
static void chunkBegins(uint64_t begin, uint64_t count) {
  current = begin;
  if (self.kind == staticChunked) self.iteration = begin + self.size * self.team->size;
}

/* Of loops with an order: the thread's turn has come. */
static void waitForTurn(void) {
  Team *team = self.team;
  if (team->size == 1) return;
  pthread_mutex_lock(&team->lock);
  while (self.loop->ordered != current) pthread_cond_wait(&team->changed, &team->lock);
  pthread_mutex_unlock(&team->lock);
}
static void passTurn(void) {
  Team *team = self.team;
  if (team->size > 1) pthread_mutex_lock(&team->lock);
  self.loop->ordered++;
  if (team->size > 1) {
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
  }
}
static void iterationEnds(void) {
  if (!self.bumped) {
    waitForTurn();
    passTurn();
  }
  self.bumped = 0;
  current++;
}
void __kmpc_ordered(void *where, int id) {
  if (self.loop) waitForTurn();
}
void __kmpc_end_ordered(void *where, int id) {
  if (!self.loop) return;
  passTurn();
  self.bumped = 1;
}
DISPATCH(4, int32_t, uint32_t, int32_t)
DISPATCH(4u, uint32_t, uint32_t, int32_t)
DISPATCH(8, int64_t, uint64_t, int64_t)
DISPATCH(8u, uint64_t, uint64_t, int64_t)
void __kmpc_dispatch_deinit(void *where, int id) {}

/* ---- tasks ---- */

typedef struct Task {
  void *shared;
  int (*run)(int, struct Task *);
  int part;
  int (*destroy)(int, struct Task *);
  void *priority;
} Task;
enum { headBytes = 16, hasDestructors = 8 };

Task *__kmpc_omp_task_alloc(void *where, int id, int flags, size_t bytes, size_t sharedBytes, int (*run)(int, Task *)) {
  const size_t own = (bytes + 15) & ~(size_t)15;
  char *head = calloc(1, headBytes + own + sharedBytes);
  if (!head) abort();
  *(int *)head = flags;
  Task *task = (Task *)(head + headBytes);
  task->shared = (char *)task + own;
  task->run = run;
  return task;
}
static void endTask(Task *task) {
  char *head = (char *)task - headBytes;
  if (*(int *)head & hasDestructors) task->destroy(self.id, task);
  free(head);
}
int __kmpc_omp_task(void *where, int id, Task *task) {
  task->run(self.id, task);
  endTask(task);
  return 0;
}
int __kmpc_omp_task_with_deps(void *where, int id, Task *task, int count, void *all, int more, void *others) {
  return __kmpc_omp_task(where, id, task);
}
void __kmpc_omp_wait_deps(void *where, int id, int count, void *all, int more, void *others) {}
void __kmpc_omp_taskwait_deps_51(void *where, int id, int count, void *all, int more, void *others, int nowait) {}
void __kmpc_omp_task_begin_if0(void *where, int id, Task *task) {}
void __kmpc_omp_task_complete_if0(void *where, int id, Task *task) { endTask(task); }
int __kmpc_omp_taskwait(void *where, int id) { return 0; }
int __kmpc_omp_taskyield(void *where, int id, int part) { return 0; }
void __kmpc_taskgroup(void *where, int id) {}
void __kmpc_end_taskgroup(void *where, int id) {}
/* All iterations are one task. Its bounds are followed by the step and by whether it has the last iteration. */
void __kmpc_taskloop(void *where, int id, Task *task, int condition, uint64_t *lower, uint64_t *upper, int64_t step,
                     int nogroup, int kind, uint64_t grain, void *duplicate) {
  const int64_t first = *lower, last = *upper;
  *(int *)(lower + 3) = 1;
  if (step > 0 ? first <= last : first >= last) task->run(self.id, task);
  endTask(task);
}

/* Reductions of tasks: those of a group follow each other, so each may add to the variable itself. */
void *__kmpc_taskred_init(int id, int count, void *all) { return 0; }
void *__kmpc_taskred_modifier_init(void *where, int id, int isWorksharing, int count, void *all) { return 0; }
void __kmpc_task_reduction_modifier_fini(void *where, int id, int isWorksharing) {}
void *__kmpc_task_reduction_get_th_data(int id, void *group, void *item) { return item; }

/* ---- omp.h ---- */

void omp_set_num_threads(int count) { self.wanted = count > 0 ? count : 1; }
int omp_get_num_threads(void) { return self.team->size; }
int omp_get_max_threads(void) { return wantedThreads(); }
int omp_get_thread_num(void) { return self.number; }
int omp_get_num_procs(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN); }
int omp_in_parallel(void) { return self.team->activeLevel > 0; }
void omp_set_dynamic(int dynamic) { self.dynamic = dynamic != 0; }
int omp_get_dynamic(void) { return self.dynamic; }
int omp_get_cancellation(void) { return 0; }
void omp_set_nested(int nested) { self.mostActiveLevels = nested ? 0x7fffffff : 1; }
int omp_get_nested(void) { return self.mostActiveLevels > 1; }
void omp_set_schedule(omp_sched_t kind, int chunk) {
  self.schedule = kind & 7;
  self.chunk = chunk > 0 ? chunk : 0;
}
void omp_get_schedule(omp_sched_t *kind, int *chunk) {
  *kind = self.schedule;
  *chunk = self.chunk;
}
int omp_get_thread_limit(void) { return 0x7fffffff; }
int omp_get_supported_active_levels(void) { return 0x7fffffff; }
void omp_set_max_active_levels(int most) { self.mostActiveLevels = most < 0 ? 0 : most; }
int omp_get_max_active_levels(void) { return self.mostActiveLevels; }
int omp_get_level(void) { return self.team->level; }
int omp_get_active_level(void) { return self.team->activeLevel; }
static Team *teamAt(int level, int *number) {
  Team *team = self.team;
  if (level < 0 || level > team->level) return 0;
  *number = self.number;
  for (; team->level > level; team = team->outer) *number = team->numberInOuter;
  return team;
}
int omp_get_ancestor_thread_num(int level) {
  int number;
  return teamAt(level, &number) ? number : -1;
}
int omp_get_team_size(int level) {
  int number;
  const Team *team = teamAt(level, &number);
  return team ? team->size : -1;
}
int omp_in_final(void) { return 0; }
omp_proc_bind_t omp_get_proc_bind(void) { return omp_proc_bind_false; }
int omp_get_num_places(void) { return 0; }
int omp_get_place_num_procs(int place) { return 0; }
int omp_get_place_num(void) { return -1; }
void omp_set_default_device(int device) { self.device = device; }
int omp_get_default_device(void) { return self.device; }
int omp_get_num_devices(void) { return 0; }
int omp_get_device_num(void) { return 0; }
int omp_get_initial_device(void) { return 0; }
int omp_is_initial_device(void) { return 1; }
int omp_get_num_teams(void) { return 1; }
int omp_get_team_num(void) { return 0; }
int omp_get_max_task_priority(void) { return 0; }
int omp_pause_resource(omp_pause_resource_t kind, int device) { return 0; }
int omp_pause_resource_all(omp_pause_resource_t kind) { return 0; }

void omp_init_lock(omp_lock_t *lock) {
  lock->_lock = 0;
  mutexOf(&lock->_lock);
}
void omp_init_lock_with_hint(omp_lock_t *lock, omp_sync_hint_t hint) { omp_init_lock(lock); }
void omp_destroy_lock(omp_lock_t *lock) {
  free(lock->_lock);
  lock->_lock = 0;
}
void omp_set_lock(omp_lock_t *lock) { pthread_mutex_lock(lock->_lock); }
void omp_unset_lock(omp_lock_t *lock) { pthread_mutex_unlock(lock->_lock); }
int omp_test_lock(omp_lock_t *lock) { return pthread_mutex_trylock(lock->_lock) == 0; }

typedef struct NestLock {
  pthread_mutex_t mutex;
  int owner, count;
} NestLock;
void omp_init_nest_lock(omp_nest_lock_t *lock) {
  NestLock *made = malloc(sizeof *made);
  if (!made) abort();
  *made = (NestLock){PTHREAD_MUTEX_INITIALIZER, -1, 0};
  lock->_lock = made;
}
void omp_init_nest_lock_with_hint(omp_nest_lock_t *lock, omp_sync_hint_t hint) { omp_init_nest_lock(lock); }
void omp_destroy_nest_lock(omp_nest_lock_t *lock) {
  free(lock->_lock);
  lock->_lock = 0;
}
int omp_test_nest_lock(omp_nest_lock_t *lock) {
  NestLock *nest = lock->_lock;
  if (nest->owner != self.id) {
    if (pthread_mutex_trylock(&nest->mutex)) return 0;
    nest->owner = self.id;
  }
  return ++nest->count;
}
void omp_set_nest_lock(omp_nest_lock_t *lock) {
  NestLock *nest = lock->_lock;
  if (nest->owner != self.id) {
    pthread_mutex_lock(&nest->mutex);
    nest->owner = self.id;
  }
  nest->count++;
}
void omp_unset_nest_lock(omp_nest_lock_t *lock) {
  NestLock *nest = lock->_lock;
  if (--nest->count) return;
  nest->owner = -1;
  pthread_mutex_unlock(&nest->mutex);
}

double omp_get_wtime(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}
double omp_get_wtick(void) { return 1e-9; }
