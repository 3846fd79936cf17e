/* As glibc has it: what C++ needs around declarations of C. */
#pragma once
#ifdef __cplusplus
#define __BEGIN_DECLS extern "C" {
#define __END_DECLS }
#define __THROW noexcept(true)
#else
#define __BEGIN_DECLS
#define __END_DECLS
#define __THROW
#endif
#define __P(arguments) arguments
#define __CONCAT(x, y) x##y
#define __STRING(x) #x
