/*
 * How GNU's C++ library draws whole numbers and shuffles: the standard leaves it open, and programs draw the same data as on Linux.
 * Numbers of a smaller range come of a generator of 32 or 64 bits by multiplication (Lemire, "Fast random integer generation in an
 * interval", 2019), of others by division; numbers of a larger range are put together of several.
 */
#ifndef _SIMSIGHT_RANDOM_AS_GNU_H
#define _SIMSIGHT_RANDOM_AS_GNU_H

#include <__config>
#include <__type_traits/common_type.h>
#include <__type_traits/make_unsigned.h>
#include <cstdint>
#include <limits>

#pragma GCC system_header

_LIBCPP_PUSH_MACROS
#include <__undef_macros>

_LIBCPP_BEGIN_NAMESPACE_STD

/* A number below `range`, of a generator that draws all numbers of a word. */
template <class _Product, class _Word, class _URNG>
_LIBCPP_HIDE_FROM_ABI _Word __drawn_by_product(_URNG& __g, _Word __range) {
  _Product __product = (_Product)__g() * __range;
  if ((_Word)__product < __range) {
    const _Word __threshold = (_Word)-__range % __range;
    while ((_Word)__product < __threshold)
      __product = (_Product)__g() * __range;
  }
  return (_Word)(__product >> numeric_limits<_Word>::digits);
}

/* A number from 0 to `most`. */
template <class _Unsigned, class _URNG>
_LIBCPP_HIDE_FROM_ABI _Unsigned __drawn(_URNG& __g, _Unsigned __most) {
  typedef typename common_type<typename _URNG::result_type, _Unsigned>::type _Common;
  const _Common __least = _URNG::min();
  const _Common __range = (_Common)_URNG::max() - __least;
  if (__range > (_Common)__most) {
    const _Common __count = (_Common)__most + 1;
    if (__range == (uint64_t)-1) return (_Unsigned)__drawn_by_product<unsigned __int128, uint64_t>(__g, (uint64_t)__count);
    if (__range == (uint32_t)-1) return (_Unsigned)__drawn_by_product<uint64_t, uint32_t>(__g, (uint32_t)__count);
    const _Common __scale = __range / __count;
    _Common __number;
    do __number = (_Common)__g() - __least;
    while (__number >= __count * __scale);
    return (_Unsigned)(__number / __scale);
  }
  if (__range == (_Common)__most) return (_Unsigned)((_Common)__g() - __least);
  _Common __number, __high;
  do {
    __high = (__range + 1) * (_Common)std::__drawn<_Unsigned>(__g, (_Unsigned)((_Common)__most / (__range + 1)));
    __number = __high + ((_Common)__g() - __least);
  } while (__number > (_Common)__most || __number < __high);
  return (_Unsigned)__number;
}

/* Two numbers are drawn at once where one of the generator's has room for both. */
template <class _Swap, class _Iterator, class _Difference, class _URNG>
_LIBCPP_HIDE_FROM_ABI void __shuffled(_Swap __swap, _Iterator __first, _Difference __length, _URNG& __g) {
  typedef typename make_unsigned<_Difference>::type _Unsigned;
  typedef typename common_type<typename _URNG::result_type, _Unsigned>::type _Common;
  const _Common __range = (_Common)_URNG::max() - (_Common)_URNG::min();
  const _Common __count = (_Common)__length;
  _Common __at = 1;
  if (__range / __count < __count) {
    for (; __at < __count; ++__at) __swap(__first + (_Difference)__at, __first + (_Difference)std::__drawn<_Unsigned>(__g, __at));
    return;
  }
  if (__count % 2 == 0) {
    __swap(__first + 1, __first + (_Difference)std::__drawn<_Unsigned>(__g, 1));
    __at = 2;
  }
  for (; __at < __count; __at += 2) {
    const _Common __one = __at + 1, __other = __at + 2;
    const _Common __both = std::__drawn<_Common>(__g, __one * __other - 1);
    __swap(__first + (_Difference)__at, __first + (_Difference)(__both / __other));
    __swap(__first + (_Difference)__at + 1, __first + (_Difference)(__both % __other));
  }
}

_LIBCPP_END_NAMESPACE_STD

_LIBCPP_POP_MACROS

#endif
