#include "feedback/evaluators/virtual/execution/Print.h"

#include <cstdio>
#include <cstring>

namespace warpwright::vdevice {
namespace {

class Arguments {
public:
  explicit Arguments(const uint8_t *data) : data_(data) {}

  template <typename T> T next() {
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(&value, data_ + offset_, sizeof(T));
    offset_ += sizeof(T);
    ++count_;
    return value;
  }
  unsigned count() const { return count_; }

private:
  const uint8_t *data_;
  size_t offset_ = 0;
  unsigned count_ = 0;
};

template <typename T> std::string formatOne(const std::string &form, T value) {
  int length = std::snprintf(nullptr, 0, form.c_str(), value);
  if (length <= 0)
    return {};
  std::string text(static_cast<size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), form.c_str(), value);
  text.pop_back();
  return text;
}

/// A conversion with its flags: `form` is "%-8.3lf" and the like, without stars.
std::string convert(std::string form, Arguments &arguments) {
  char letter = form.back();
  if (std::strchr("aAeEfFgG", letter))
    return formatOne(form, arguments.next<double>());
  if (letter == 's')
    return formatOne(form, arguments.next<const char *>());
  if (letter == 'p')
    return formatOne(form, arguments.next<void *>());
  bool wide = form.find('l') != std::string::npos || form.find('j') != std::string::npos ||
              form.find('z') != std::string::npos || form.find('t') != std::string::npos;
  if (wide && letter != 'c')
    return formatOne(form, arguments.next<long long>());
  return formatOne(form, arguments.next<int>());
}

} // namespace

std::string formatText(const char *format, const uint8_t *data, unsigned &count) {
  Arguments arguments(data);
  std::string text;
  while (*format) {
    if (*format != '%') {
      text += *format++;
      continue;
    }
    if (format[1] == '%') {
      text += '%';
      format += 2;
      continue;
    }
    std::string form = "%";
    for (++format; *format && !std::strchr("aAcdeEfFgGiopsuxX", *format); ++format)
      form += *format == '*' ? std::to_string(arguments.next<int>()) : std::string(1, *format);
    if (!*format)
      break;
    form += *format++;
    text += convert(std::move(form), arguments);
  }
  count = arguments.count();
  return text;
}

} // namespace warpwright::vdevice
