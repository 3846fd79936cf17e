/* What LLVM calls for `setjmp` and `longjmp` (WebAssemblyLowerEmscriptenEHSjLj): jumps are exceptions with a tag of their own. */
#include <stddef.h>

__asm__(".tagtype __c_longjmp i64\n"
        ".globl __c_longjmp\n"
        "__c_longjmp:\n");

/* A `jmp_buf`: which call of which function set it, where in that, and what `longjmp` hands over. */
struct Jump {
  void *invocation;
  unsigned label;
  struct {
    void *env;
    int value;
  } thrown;
};

void __wasm_setjmp(struct Jump *jump, unsigned label, void *invocation) {
  jump->invocation = invocation;
  jump->label = label;
}

unsigned __wasm_setjmp_test(struct Jump *jump, void *invocation) {
  return jump->invocation == invocation ? jump->label : 0;
}

void __wasm_longjmp(struct Jump *jump, int value) {
  jump->thrown.env = jump;
  jump->thrown.value = value ? value : 1;
  __builtin_wasm_throw(1, &jump->thrown);
}
