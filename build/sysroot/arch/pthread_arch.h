/* The C library's own state of a thread is one for all of them: what differs between host threads is kept outside. */
extern char __simsight_thread[];
static inline uintptr_t __get_tp(void) { return (uintptr_t)__simsight_thread; }
#define MC_PC gregs[REG_RIP]
