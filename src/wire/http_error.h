// Why bytes are no HTTP request, for the sender: all that the parser refuses.
#pragma once

#include <cstdint>
#include <string_view>

namespace weir::wire {

// An HTTP status and a sentence.
struct HttpError {
  std::uint16_t status = 400;
  std::string_view detail;  // static storage
};

namespace refused {

inline constexpr HttpError kBareLineFeed{400,
                                         "A line ends in a bare line feed; lines end in CR LF."};
inline constexpr HttpError kFoldedField{400, "A header field is folded over several lines."};
inline constexpr HttpError kBadRequestLine{400,
                                           "The request line is not `METHOD target HTTP/1.1`."};
inline constexpr HttpError kBadField{400, "A header field is not `Name: value`."};
inline constexpr HttpError kBadTarget{400,
                                      "The request target is neither a path nor an absolute URL."};
inline constexpr HttpError kBadLength{400, "The Content-Length field is no whole number."};
inline constexpr HttpError kManyLengths{400, "The request has more than one Content-Length field."};
inline constexpr HttpError kLengthAndCoding{
    400, "Content-Length and Transfer-Encoding exclude each other."};
inline constexpr HttpError kBadChunk{400, "The chunked body is malformed."};
inline constexpr HttpError kNoHost{400, "The request has no Host field."};
inline constexpr HttpError kBadHost{400, "The Host field holds no host."};
inline constexpr HttpError kManyHosts{400, "The request has more than one Host field."};
inline constexpr HttpError kBodyTooLarge{413, "The body is larger than this listener accepts."};
inline constexpr HttpError kTargetTooLong{414,
                                          "The request line is longer than this listener accepts."};
inline constexpr HttpError kHeadTooLarge{
    431, "The header fields are larger than this listener accepts."};
inline constexpr HttpError kTooManyFields{
    431, "There are more header fields than this listener accepts."};
inline constexpr HttpError kExpectation{417,
                                        "The only expectation that can be met is 100-continue."};
inline constexpr HttpError kUnknownCoding{501, "The only transfer coding understood is chunked."};
inline constexpr HttpError kVersion{505, "This listener speaks HTTP/1.1 and HTTP/1.0."};

}  // namespace refused

}  // namespace weir::wire
