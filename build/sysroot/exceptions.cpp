/*
 * What an exception that nobody caught is: its type, and what it says.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <typeinfo>

/* "std::runtime_error: message", or just the type; `object` is what WebAssembly carried. Never freed. */
extern "C" __attribute__((export_name("__simsight_exception"))) const char *__simsight_exception(void *object) {
  static char text[4096];
  const char *says = "";
  __cxxabiv1::__cxa_begin_catch(object);
  const std::type_info *type = __cxxabiv1::__cxa_current_exception_type();
  int status;
  char *name = type ? __cxxabiv1::__cxa_demangle(type->name(), nullptr, nullptr, &status) : nullptr;
  try {
    throw;
  } catch (const std::exception &error) {
    says = error.what();
  } catch (...) {
  }
  snprintf(text, sizeof text, "%s%s%s", name ? name : type ? type->name() : "unknown", *says ? ": " : "", says);
  return text;
}
