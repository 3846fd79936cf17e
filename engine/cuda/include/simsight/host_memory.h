/*
 * malloc of an amount with 64 bits, which a size_t would cut to 32: more than the host program's 4 GiB of addresses is
 * no memory, instead of less than was asked for.
 */
#pragma once
#include "simsight/attributes.h"

template <class T> struct __simsight_if_wide {};
template <> struct __simsight_if_wide<long long> {
  typedef void *pointer;
};
template <> struct __simsight_if_wide<unsigned long long> {
  typedef void *pointer;
};
template <class T> __host__ static inline typename __simsight_if_wide<T>::pointer malloc(T size) {
  return (unsigned long long)size > (size_t)-1 ? (void *)0 : malloc((size_t)size);
}
