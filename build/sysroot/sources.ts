/** What of the libraries' sources is compiled, and how. */

/** Folders of musl's `src`. */
export const muslFolders =
  `complex conf ctype dirent env errno exit fcntl fenv internal legacy locale math misc multibyte prng regex sched search select
   signal stat stdio stdlib string temp termios thread time unistd`.split(/\s+/);

/** Files that have another form here (libc.c, malloc.c, qsort.c, random.c), and what belongs to a kernel. */
export const muslLeftOut = new Set(
  `env/__init_tls.c env/__libc_start_main.c env/__reset_tls.c env/__stack_chk_fail.c errno/__errno_location.c fenv/fenv.c internal/vdso.c
   internal/emulate_wait4.c legacy/cuserid.c legacy/daemon.c legacy/getusershell.c
   misc/forkpty.c misc/login_tty.c misc/wordexp.c misc/initgroups.c
   signal/siglongjmp.c signal/sigsetjmp.c signal/sigsetjmp_tail.c stdio/__lockfile.c stdio/popen.c stdio/pclose.c
   prng/rand.c prng/rand_r.c prng/random.c stdlib/qsort.c stdlib/qsort_nr.c
   thread/__lock.c thread/__set_thread_area.c thread/__syscall_cp.c thread/__timedwait.c thread/__tls_get_addr.c
   thread/__unmapself.c thread/__wait.c thread/clone.c thread/default_attr.c thread/lock_ptc.c thread/pthread_atfork.c
   thread/pthread_cancel.c thread/pthread_cleanup_push.c thread/pthread_create.c thread/pthread_detach.c
   thread/pthread_getattr_np.c thread/pthread_getname_np.c thread/pthread_join.c thread/pthread_kill.c thread/pthread_once.c
   thread/pthread_self.c thread/pthread_setattr_default_np.c thread/pthread_setcancelstate.c thread/pthread_setcanceltype.c
   thread/pthread_setname_np.c thread/pthread_testcancel.c thread/sem_open.c thread/sem_unlink.c thread/synccall.c
   thread/syscall_cp.c thread/thrd_create.c thread/thrd_exit.c thread/thrd_join.c thread/tls.c thread/vmlock.c
   time/timer_create.c time/timer_delete.c unistd/setxid.c`.split(/\s+/),
);

/** Files of other folders. */
export const muslMore = ['linux/getrandom.c', 'linux/gettid.c', 'linux/prlimit.c', 'linux/sysinfo.c', 'process/wait.c'];

/** Files that do not go with others of their folder into one unit. */
export const clashing = new Set(
  `complex/cexpf.c dirent/dirfd.c dirent/fdopendir.c dirent/opendir.c dirent/readdir.c dirent/readdir_r.c
   dirent/rewinddir.c dirent/seekdir.c dirent/telldir.c env/putenv.c env/setenv.c env/unsetenv.c
   exit/at_quick_exit.c exit/exit.c locale/locale_map.c locale/textdomain.c math/__cosdf.c math/__cosl.c
   math/__rem_pio2f.c math/__rem_pio2l.c math/__sindf.c math/__sinl.c math/__tan.c math/__tanl.c math/acos.c
   math/acosf.c math/asin.c math/asinf.c math/atan2f.c math/cbrtf.c math/erff.c math/erfl.c math/exp2l.c
   math/expm1f.c math/expm1l.c math/j0f.c math/j1.c math/j1f.c math/lgammaf_r.c math/lgammal.c math/log10f.c
   math/log1p.c math/log1pf.c math/sinf.c regex/regexec.c regex/tre-mem.c search/tdelete.c search/tdestroy.c
   search/tfind.c search/tsearch.c search/twalk.c stat/fstatat.c stdio/fflush.c stdio/ftrylockfile.c stdio/getc.c
   stdio/getchar.c stdio/open_memstream.c stdio/open_wmemstream.c stdio/putc.c stdio/putchar.c stdio/stderr.c
   stdio/stdin.c stdio/stdout.c stdio/vfwprintf.c stdio/vsnprintf.c stdio/vswprintf.c
   thread/pthread_key_create.c time/__tz.c`.split(/\s+/),
);

/**
 * `__config_site` of the C++ library. What version 19 calls experimental is what others have: std::jthread, std::execution. Headers
 * include what they need, and what GNU's bring along (`brought-along.ts`): what libc++ adds for programs of before would give meanings
 * to names such as `stack` and `sort` in programs that are `using namespace std`, and takes time to compile.
 */
export const cxxMacros: Readonly<Record<string, string>> = {
  _LIBCPP_ABI_VERSION: '1',
  _LIBCPP_ABI_NAMESPACE: '__1',
  _LIBCPP_HAS_MUSL_LIBC: '',
  _LIBCPP_HAS_NO_VENDOR_AVAILABILITY_ANNOTATIONS: '',
  _LIBCPP_HAS_NO_TIME_ZONE_DATABASE: '',
  _LIBCPP_HAS_THREAD_API_PTHREAD: '',
  _LIBCPP_ENABLE_EXPERIMENTAL: '',
  _LIBCPP_PSTL_BACKEND_SERIAL: '',
  _LIBCPP_REMOVE_TRANSITIVE_INCLUDES: '',
  _LIBCPP_HARDENING_MODE_DEFAULT: '2',
  // GNU's library (version 12) has them in every standard.
  _LIBCPP_ENABLE_CXX17_REMOVED_AUTO_PTR: '',
  _LIBCPP_ENABLE_CXX17_REMOVED_BINDERS: '',
  _LIBCPP_ENABLE_CXX17_REMOVED_RANDOM_SHUFFLE: '',
  _LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION: '',
  _LIBCPP_ENABLE_CXX20_REMOVED_BINDER_TYPEDEFS: '',
  _LIBCPP_ENABLE_CXX20_REMOVED_NEGATORS: '',
  _LIBCPP_ENABLE_CXX20_REMOVED_RAW_STORAGE_ITERATOR: '',
  _LIBCPP_ENABLE_CXX20_REMOVED_SHARED_PTR_UNIQUE: '',
  _LIBCPP_ENABLE_CXX20_REMOVED_TYPE_TRAITS: '',
};

interface Group {
  library: 'c++' | 'c++abi';
  language?: 'c';
  macros?: string[];
  sources: string[];
}

const abi = (names: string): string[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => `/abi/${name}.cpp`);
const cxx = (names: string): string[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => `/cxx/${name}.cpp`);

/** Macros under which the C++ library's own files are compiled. */
const building = ['_LIBCPP_BUILDING_LIBRARY', 'LIBCXX_BUILDING_LIBCXXABI'];
const buildingAbi = [
  'NDEBUG',
  '_LIBCXXABI_BUILDING_LIBRARY',
  '_LIBCPP_BUILDING_LIBRARY',
  'HAS_THREAD_LOCAL',
  '_LIBCPP_DISABLE_EXTERN_TEMPLATE',
];

/** Sources that are compiled as one: those that take longest first. */
export const cxxGroups: readonly Group[] = [
  {
    library: 'c++',
    macros: building,
    sources: cxx(`
      algorithm any bind call_once charconv chrono condition_variable exception expected functional future hash
      memory_resource mutex new new_handler new_helpers optional random random_shuffle shared_mutex stdexcept string
      system_error thread typeinfo valarray variant vector verbose_abort`),
  },
  {
    library: 'c++',
    macros: building,
    sources: cxx('regex locale ios ios.instantiations iostream ostream fstream print'),
  },
  {
    library: 'c++',
    macros: building,
    sources: cxx(`
      filesystem/directory_iterator filesystem/filesystem_clock filesystem/filesystem_error filesystem/operations
      filesystem/path`),
  },
  {
    library: 'c++abi',
    macros: buildingAbi,
    // What says what an exception is comes with what throws it.
    sources: [
      ...abi(`
      abort_message cxa_aux_runtime cxa_default_handlers cxa_demangle cxa_exception cxa_exception_storage cxa_guard
      cxa_handlers cxa_personality cxa_vector cxa_virtual fallback_malloc private_typeinfo stdlib_exception
      stdlib_stdexcept stdlib_typeinfo`),
      '/ours/exceptions.cpp',
    ],
  },
  { library: 'c++', macros: building, sources: cxx('atomic barrier ryu/d2fixed ryu/d2s ryu/f2s') },
  { library: 'c++', macros: building, sources: cxx('strstream') },
  { library: 'c++', macros: building, sources: cxx('memory') },
  { library: 'c++', macros: building, sources: cxx('condition_variable_destructor mutex_destructor') },
  { library: 'c++', macros: building, sources: cxx('error_category') },
  {
    library: 'c++abi',
    language: 'c',
    macros: ['__ELF__', 'NDEBUG'],
    sources: ['/unwind/Unwind-wasm.c', '/ours/unwind.c'],
  },
];
