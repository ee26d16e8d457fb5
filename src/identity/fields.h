// Reading what a request carries: header fields, query parameters, cookies, a bearer token.
//
// Views into the request; nothing allocates. A thing that occurs twice is missing, since a client
// and its gateway could each mean another one. A header name with `_` is never read: gateways and
// backends that fold `_` to `-` would otherwise let a client set what only the gateway may.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "identity/facts.h"

namespace weir::identity {

bool equals_ignoring_case(std::string_view a, std::string_view b);  // ASCII
std::string_view trim(std::string_view text);                       // spaces and tabs

// Is this the header `name` (any case on both sides)? Never where either has a `_`.
bool is_header(const Field& field, std::string_view name);

// The trimmed value of the only such header; nullopt where there is none or more.
std::optional<std::string_view> single_header(std::span<const Field> headers,
                                              std::string_view name);

// The only attribute of exactly that name.
std::optional<std::string_view> single_attribute(std::span<const Field> attributes,
                                                 std::string_view name);

// The only query parameter of that name, decoded (%XX, `+` is a space) into `out` where it needs
// to be. nullopt: none, repeated, a bad escape, or longer than `out`.
std::optional<std::string_view> query_parameter(std::string_view target, std::string_view name,
                                                std::span<char> out);

// The only cookie of that name (RFC 6265; names have case), without the quotes around its value.
std::optional<std::string_view> cookie(std::span<const Field> headers, std::string_view name);

// What follows `Bearer ` (or one of `schemes`) in the only Authorization header.
std::optional<std::string_view> credentials(std::span<const Field> headers,
                                            std::span<const std::string_view> schemes);

}  // namespace weir::identity
