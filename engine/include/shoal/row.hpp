// Rows of components for C++17: SHOAL_COMPONENT(heat, HEAT_FIELDS) also defines heat_row, a row whose members refer to
// the fields in the columns. Included by <shoal/declare.h>. Loops over rows are in <shoal/world.hpp>.
//
//   world.each([](heat_row &heat, const mood_row &mood) { heat.value += mood.joy; });
//
// A `heat_row &` can be read and written, a `const heat_row &` only read. Members convert to the type of the field. A
// vector has members x, y, z and w, and a mat4 has 16 elements: heat.pos.x, heat.matrix[12]. Rows and members cannot be
// copied, so a value is copied by naming its type: float value = heat.value.
#ifndef SHOAL_ROW_HPP
#define SHOAL_ROW_HPP

#include <cstdint>

// Loops over rows are as fast as loops over pointers only if everything between the loop and the field is inlined. -O2
// does not inline rows with many fields.
#ifdef __GNUC__
#define SHOAL_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define SHOAL_ALWAYS_INLINE inline
#endif

// Tells the compiler that no iteration of the following loop accesses data that a different iteration writes.
#if defined __clang__
#define SHOAL_INDEPENDENT_ROWS _Pragma("clang loop vectorize(assume_safety)")
#elif defined __GNUC__
#define SHOAL_INDEPENDENT_ROWS _Pragma("GCC ivdep")
#else
#define SHOAL_INDEPENDENT_ROWS
#endif

extern "C++" { // component declarations may be in extern "C" blocks
namespace shoal {

// A field of a row: reads and writes one element of a column. Valid as long as the row.
template <class T> class field_ref {
public:
  SHOAL_ALWAYS_INLINE explicit field_ref(T *element) : element_(element) {
  }
  field_ref(const field_ref &) = delete;
  SHOAL_ALWAYS_INLINE operator T() const {
    return *element_;
  }
  SHOAL_ALWAYS_INLINE field_ref &operator=(const field_ref &value) {
    return *this = static_cast<T>(value);
  }
  SHOAL_ALWAYS_INLINE field_ref &operator=(T value) {
    *element_ = value;
    return *this;
  }
  SHOAL_ALWAYS_INLINE field_ref &operator+=(T value) {
    return *this = static_cast<T>(*element_ + value);
  }
  SHOAL_ALWAYS_INLINE field_ref &operator-=(T value) {
    return *this = static_cast<T>(*element_ - value);
  }
  SHOAL_ALWAYS_INLINE field_ref &operator*=(T value) {
    return *this = static_cast<T>(*element_ * value);
  }
  SHOAL_ALWAYS_INLINE field_ref &operator/=(T value) {
    return *this = static_cast<T>(*element_ / value);
  }
  SHOAL_ALWAYS_INLINE field_ref &operator%=(T value) {
    return *this = static_cast<T>(*element_ % value);
  }
  SHOAL_ALWAYS_INLINE field_ref &operator&=(T value) {
    return *this = static_cast<T>(*element_ & value);
  }
  SHOAL_ALWAYS_INLINE field_ref &operator|=(T value) {
    return *this = static_cast<T>(*element_ | value);
  }
  SHOAL_ALWAYS_INLINE field_ref &operator^=(T value) {
    return *this = static_cast<T>(*element_ ^ value);
  }
  SHOAL_ALWAYS_INLINE field_ref &operator++() {
    return *this += static_cast<T>(1);
  }
  SHOAL_ALWAYS_INLINE field_ref &operator--() {
    return *this -= static_cast<T>(1);
  }

private:
  T *element_;
};

struct vec2_ref {
  template <class Columns> SHOAL_ALWAYS_INLINE vec2_ref(const Columns &c, uint32_t row) : x(c.x + row), y(c.y + row) {
  }
  field_ref<float> x, y;
};

struct vec3_ref {
  template <class Columns>
  SHOAL_ALWAYS_INLINE vec3_ref(const Columns &c, uint32_t row) : x(c.x + row), y(c.y + row), z(c.z + row) {
  }
  field_ref<float> x, y, z;
};

struct vec4_ref { // reference to a vec4 or quat
  template <class Columns>
  SHOAL_ALWAYS_INLINE vec4_ref(const Columns &c, uint32_t row)
      : x(c.x + row), y(c.y + row), z(c.z + row), w(c.w + row) {
  }
  field_ref<float> x, y, z, w;
};

class mat4_ref {
public:
  SHOAL_ALWAYS_INLINE explicit mat4_ref(float (*matrix)[16]) : matrix_(matrix) {
  }
  mat4_ref(const mat4_ref &) = delete;
  mat4_ref &operator=(const mat4_ref &) = delete;
  float &operator[](uint32_t element) {
    return (*matrix_)[element];
  }
  const float &operator[](uint32_t element) const {
    return (*matrix_)[element];
  }

private:
  float (*matrix_)[16];
};

} // namespace shoal
}

// clang-format off
#define SHOAL_SCALAR_REF(type_, name_) shoal::field_ref<type_> name_{shoal_columns.name_ + shoal_row};
#define SHOAL_REF_f32(name_) SHOAL_SCALAR_REF(float, name_)
#define SHOAL_REF_f64(name_) SHOAL_SCALAR_REF(double, name_)
#define SHOAL_REF_i8(name_) SHOAL_SCALAR_REF(int8_t, name_)
#define SHOAL_REF_i16(name_) SHOAL_SCALAR_REF(int16_t, name_)
#define SHOAL_REF_i32(name_) SHOAL_SCALAR_REF(int32_t, name_)
#define SHOAL_REF_u8(name_) SHOAL_SCALAR_REF(uint8_t, name_)
#define SHOAL_REF_u16(name_) SHOAL_SCALAR_REF(uint16_t, name_)
#define SHOAL_REF_u32(name_) SHOAL_SCALAR_REF(uint32_t, name_)
#define SHOAL_REF_bool(name_) SHOAL_SCALAR_REF(uint8_t, name_)
#define SHOAL_REF_entity(name_) SHOAL_SCALAR_REF(shoal_entity, name_)
#define SHOAL_REF_string(name_) SHOAL_SCALAR_REF(uint32_t, name_)
#define SHOAL_REF_enum(name_) SHOAL_SCALAR_REF(uint8_t, name_)
#define SHOAL_REF_asset(name_) SHOAL_SCALAR_REF(uint32_t, name_)
#define SHOAL_REF_mat4(name_) shoal::mat4_ref name_{shoal_columns.name_ + shoal_row};
#define SHOAL_REF_vec2(name_) shoal::vec2_ref name_{shoal_columns.name_, shoal_row};
#define SHOAL_REF_vec3(name_) shoal::vec3_ref name_{shoal_columns.name_, shoal_row};
#define SHOAL_REF_vec4(name_) shoal::vec4_ref name_{shoal_columns.name_, shoal_row};
#define SHOAL_REF_quat(name_) shoal::vec4_ref name_{shoal_columns.name_, shoal_row};
#define SHOAL_REF(type_, ...) SHOAL_REF_##type_(SHOAL_FIRST(__VA_ARGS__, ))

// The names of the members that are not fields start with shoal_, so that fields can have any name.
#define SHOAL_DECLARE_ROW(name_, TARGET_, FIELDS_)                                                                     \
  struct name_##_row {                                                                                                 \
    using shoal_columns_type = name_##_columns;                                                                        \
    static const shoal_component &shoal_declaration() { return name_##_component; }                                    \
    SHOAL_ALWAYS_INLINE name_##_row(const shoal_columns_type &shoal_c, uint32_t shoal_i)                               \
        : shoal_columns(shoal_c), shoal_row(shoal_i) {}                                                                \
    name_##_row(const name_##_row &) = delete;                                                                         \
    name_##_row &operator=(const name_##_row &) = delete;                                                              \
    const shoal_columns_type &shoal_columns;                                                                           \
    uint32_t shoal_row;                                                                                                \
    TARGET_(SHOAL_REF)                                                                                                 \
    FIELDS_(SHOAL_REF)                                                                                                 \
  };
// clang-format on

#endif
