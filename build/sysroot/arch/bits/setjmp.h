typedef unsigned long __jmp_buf[8];
/* The compiler knows two names. Masks of signals are not kept: no signal comes from outside. */
#define _setjmp(env) setjmp(env)
#define sigsetjmp(env, mask) setjmp(env)
#define _longjmp(env, value) longjmp(env, value)
#define siglongjmp(env, value) longjmp(env, value)
