/**
 * What headers of GNU's C++ library bring along, and libc++'s do not: programs count on names that they have not included. The lists are
 * what `g++ -std=c++17 -M` (version 12) says of each header, less what the same header of libc++ includes in every standard.
 */

/** Parts of GNU's library, by their files below `bits`, as parts of libc++. */
const parts: Readonly<Record<string, string>> = {
  allocator: `memory/allocator memory/allocator_traits`,
  move: `utility/forward utility/move utility/swap memory/addressof`,
  refwrap: `functional/reference_wrapper functional/mem_fn`,
  std_function: `functional/function`,
  std_mutex: `mutex/mutex mutex/lock_guard`,
  stl_algobase: `algorithm/copy algorithm/copy_backward algorithm/equal algorithm/fill algorithm/fill_n algorithm/iter_swap
    algorithm/lexicographical_compare algorithm/lower_bound algorithm/max algorithm/min algorithm/mismatch
    algorithm/move algorithm/move_backward algorithm/swap_ranges`,
  stl_function: `functional/operations`,
  stl_heap: `algorithm/is_heap algorithm/is_heap_until algorithm/make_heap algorithm/pop_heap algorithm/push_heap algorithm/sort_heap`,
  stl_iterator: `iterator/back_insert_iterator iterator/front_insert_iterator iterator/insert_iterator iterator/move_iterator
    iterator/reverse_iterator`,
  stl_iterator_base_funcs: `iterator/advance iterator/distance iterator/iterator_traits iterator/next iterator/prev`,
  stl_pair: `utility/pair`,
  streambuf_iterator: `iterator/istreambuf_iterator iterator/ostreambuf_iterator`,
};

/** By header. */
const lists: Readonly<Record<string, string>> = {
  algorithm: 'stl_iterator',
  any: 'type_traits',
  array: 'stl_algobase stl_iterator type_traits',
  atomic: 'move',
  cassert: 'cstddef',
  cctype: 'cstddef',
  cerrno: 'cstddef',
  cfloat: 'cstddef',
  charconv: 'bit cerrno type_traits',
  climits: 'cstddef',
  clocale: 'cstddef',
  cmath: 'cstdlib move stl_algobase stl_iterator stl_iterator_base_funcs type_traits',
  codecvt: 'pthread.h sched.h time.h',
  condition_variable: 'chrono system_error',
  csignal: 'cstddef unistd.h',
  cstdio: 'cstddef',
  cstdlib: 'cstddef',
  cstring: 'cstddef',
  ctime: 'cstddef',
  cuchar: 'cwchar',
  deque: 'refwrap stl_algobase stl_iterator',
  exception: 'move type_traits',
  execution: 'functional iterator memory numeric utility',
  filesystem: 'chrono codecvt iomanip',
  forward_list: 'stl_algobase stl_function stl_iterator',
  functional: 'algorithm unordered_map vector',
  future: 'condition_variable std_function',
  iomanip: 'sstream',
  ios: 'streambuf streambuf_iterator',
  iosfwd: 'cwchar',
  istream: 'ostream',
  iterator: 'streambuf',
  limits: 'cstddef',
  list: 'stl_algobase stl_iterator',
  map: 'stl_algobase stl_iterator',
  memory: 'atomic bit exception iosfwd refwrap stl_algobase stl_iterator',
  memory_resource: 'bit shared_mutex vector',
  mutex: 'chrono system_error',
  numeric: 'bit move stl_function type_traits',
  optional: 'exception stl_iterator_base_funcs',
  queue: 'stl_heap',
  ratio: 'type_traits',
  regex: 'algorithm locale map sstream stack std_function',
  scoped_allocator: 'allocator stl_iterator_base_funcs',
  set: 'stl_algobase stl_iterator',
  shared_mutex: 'chrono std_mutex system_error',
  stdexcept: 'exception string',
  streambuf: 'system_error',
  string: 'cerrno clocale cstdlib refwrap stl_function',
  string_view: 'stl_algobase stl_iterator type_traits',
  thread: 'chrono refwrap',
  tuple: 'move stl_pair type_traits',
  utility: 'move type_traits',
  valarray: 'algorithm',
  variant: 'stl_iterator_base_funcs type_traits',
  vector: 'refwrap',
};

/** Headers and parts of libc++ that a header has to include at its end, by its name. */
export const broughtAlong: ReadonlyMap<string, string[]> = new Map(
  Object.entries(lists).map(([header, list]): [string, string[]] => [
    header,
    list.split(' ').flatMap((name) => parts[name]?.split(/\s+/).map((part) => `__${part}.h`) ?? [name]),
  ]),
);
