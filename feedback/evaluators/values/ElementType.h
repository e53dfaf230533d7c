#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpwright::values {

/// What the elements of a buffer are: one row of ElementTypes.def each.
enum class ElementType {
#define WARPWRIGHT_ELEMENT(Enumerator, name, bytes, kind) Enumerator,
#include "feedback/evaluators/values/ElementTypes.def"
};

std::string_view toString(ElementType type);
std::optional<ElementType> parseElementType(std::string_view name);
size_t sizeOf(ElementType type);
bool isFloating(ElementType type);

/// Element `index` of a buffer. 64-bit integers beyond 2^53 are rounded.
double loadElement(ElementType type, const void *buffer, uint64_t index);

/// Rounds to nearest even. Integers saturate, and a NaN becomes 0; bool becomes whether it is not 0.
void storeElement(ElementType type, void *buffer, uint64_t index, double value);

/// IEEE binary16, rounded to nearest even once, from the double.
uint16_t halfFromDouble(double value);
double doubleFromHalf(uint16_t bits);
/// bfloat16, rounded to nearest even once, from the double.
uint16_t bfloat16FromDouble(double value);
double doubleFromBFloat16(uint16_t bits);

} // namespace warpwright::values
