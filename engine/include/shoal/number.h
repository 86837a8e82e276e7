// Conversions of a number to the type of a field, which give the same result in scripts, SQL, the engine and plugins.
// Conversions to integers truncate toward zero and clamp to the type's range. NaN becomes 0. (A plain cast of an
// out-of-range number is undefined in C and differs between processors.) shoal_to_f32 and shoal_to_f64 replace every
// NaN with one canonical NaN, because the sign and payload of a computed NaN differ between processors.
//
// Any thread. Part of the public plugin headers: C11, usable from C++. Include <shoal/plugin.h>.
#ifndef SHOAL_NUMBER_H
#define SHOAL_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define SHOAL_NAN_F32 0x7fc00000u
#define SHOAL_NAN_F64 0x7ff8000000000000ull

// Returns `v` clamped to [min, max], or 0 for NaN. The result can be cast to an integer type with these limits.
static inline double shoal_clamp(double v, double min, double max) {
  if (v != v)
    return 0;
  return v < min ? min : v > max ? max : v;
}

// Return `v` truncated and clamped to the integer type, or 0 for NaN.
static inline int8_t shoal_to_i8(double v) {
  return (int8_t)shoal_clamp(v, INT8_MIN, INT8_MAX);
}
static inline int16_t shoal_to_i16(double v) {
  return (int16_t)shoal_clamp(v, INT16_MIN, INT16_MAX);
}
static inline int32_t shoal_to_i32(double v) {
  return (int32_t)shoal_clamp(v, INT32_MIN, INT32_MAX);
}
static inline uint8_t shoal_to_u8(double v) {
  return (uint8_t)shoal_clamp(v, 0, UINT8_MAX);
}
static inline uint16_t shoal_to_u16(double v) {
  return (uint16_t)shoal_clamp(v, 0, UINT16_MAX);
}
static inline uint32_t shoal_to_u32(double v) {
  return (uint32_t)shoal_clamp(v, 0, UINT32_MAX);
}
// The upper limits are the largest doubles below 2^63 and 2^64.
static inline int64_t shoal_i64(double v) {
  return (int64_t)shoal_clamp(v, -9223372036854775808.0, 9223372036854774784.0);
}
static inline uint64_t shoal_u64(double v) {
  return (uint64_t)shoal_clamp(v, 0, 18446744073709549568.0);
}

// Return true if the bits of a float or double are a NaN.
static inline bool shoal_is_nan_f32(uint32_t bits) {
  return (bits & 0x7fffffffu) > 0x7f800000u;
}
static inline bool shoal_is_nan_f64(uint64_t bits) {
  return (bits & 0x7fffffffffffffffull) > 0x7ff0000000000000ull;
}

// Return `v` as double or float. Every NaN becomes the NaN with the bits SHOAL_NAN_F64 or SHOAL_NAN_F32.
static inline double shoal_to_f64(double v) {
  uint64_t bits = SHOAL_NAN_F64;
  if (v != v)
    memcpy(&v, &bits, sizeof v);
  return v;
}
static inline float shoal_to_f32(double v) {
  uint32_t bits = SHOAL_NAN_F32;
  float out = (float)v;
  if (v != v)
    memcpy(&out, &bits, sizeof out);
  return out;
}

#endif
