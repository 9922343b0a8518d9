/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as texts, by the C library. */
#include <errno.h>
#include <limits>
#include <stdio.h>
#include <stdlib.h>
#include <string>

#include <takt/system.h>

namespace std {
inline namespace _LIBCPP_ABI_NAMESPACE {
/* Text of a number; the longest that is not a float has 20 characters. A longer one is formatted
 * again. */
template <class Number> static string text_of(const char *format, Number number) {
    char text[32];
    int length = snprintf(text, sizeof text, format, number);
    if (length < static_cast<int>(sizeof text)) {
        return string(text, static_cast<size_t>(length));
    }
    string all(static_cast<size_t>(length), '\0');
    snprintf(&all[0], all.size() + 1, format, number);
    return all;
}

string to_string(int number) {
    return text_of("%d", number);
}

string to_string(unsigned number) {
    return text_of("%u", number);
}

string to_string(long number) {
    return text_of("%ld", number);
}

string to_string(unsigned long number) {
    return text_of("%lu", number);
}

string to_string(long long number) {
    return text_of("%lld", number);
}

string to_string(unsigned long long number) {
    return text_of("%llu", number);
}

string to_string(float number) {
    return text_of("%f", static_cast<double>(number));
}

string to_string(double number) {
    return text_of("%f", number);
}

/* The number that a text begins with. Where the standard throws an exception, this is a panic. */
template <class Number, class Parse>
static Number number_of(const string &text, size_t *length, Parse parse) {
    char *end;
    errno = 0;
    auto number = parse(text.c_str(), &end);
    if (end == text.c_str()) {
        takt_panic("std::stoi or one of its kind: this is no number");
    }
    if (errno == ERANGE || number < numeric_limits<Number>::lowest() ||
        number > numeric_limits<Number>::max()) {
        takt_panic("std::stoi or one of its kind: the number is out of range");
    }
    if (length) {
        *length = static_cast<size_t>(end - text.c_str());
    }
    return static_cast<Number>(number);
}

int stoi(const string &text, size_t *length, int base) {
    return number_of<int>(text, length,
                          [=](const char *from, char **end) { return strtol(from, end, base); });
}

long stol(const string &text, size_t *length, int base) {
    return number_of<long>(text, length,
                           [=](const char *from, char **end) { return strtol(from, end, base); });
}

unsigned long stoul(const string &text, size_t *length, int base) {
    return number_of<unsigned long>(
        text, length, [=](const char *from, char **end) { return strtoul(from, end, base); });
}

long long stoll(const string &text, size_t *length, int base) {
    return number_of<long long>(
        text, length, [=](const char *from, char **end) { return strtoll(from, end, base); });
}

unsigned long long stoull(const string &text, size_t *length, int base) {
    return number_of<unsigned long long>(
        text, length, [=](const char *from, char **end) { return strtoull(from, end, base); });
}

float stof(const string &text, size_t *length) {
    return number_of<float>(text, length,
                            [](const char *from, char **end) { return strtof(from, end); });
}

double stod(const string &text, size_t *length) {
    return number_of<double>(text, length,
                             [](const char *from, char **end) { return strtod(from, end); });
}
} // namespace _LIBCPP_ABI_NAMESPACE
} // namespace std
