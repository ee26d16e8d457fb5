// Replies and commands of the Redis protocol, RESP2 and RESP3, without I/O: bytes in, whole values
// out.
//
//   RespParser parser;
//   std::span<char> space = parser.prepare(4096);   // read from the socket into it
//   parser.commit(n);
//   while (parser.next() == RespParser::Status::reply) use(parser.reply());
//
// A reply is a value and what it holds, in the order it was sent: walk it with `RespItems`. Strict:
// a line ends with CR LF and holds neither alone, numbers are written as servers write them, a
// length is one the limits allow before anything is reserved for it. Streamed strings and
// aggregates
// (`$?`, `*?`) are refused; attributes (`|`) are read and dropped.
//
// Ownership: the parser owns the bytes; views live until the next call of `next`, `prepare` or
// `commit`. Allocates only while its buffers grow. Linear time however the bytes are cut. Not
// thread-safe. An error is final: where the next reply begins is not known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::wire {

enum class RespType : std::uint8_t {
  null,           // also the null string and the null array of RESP2
  simple_string,  // +
  error,          // - and the long form !
  integer,        // :
  boolean,        // #, as the integer 0 or 1
  real,           // , as text
  big_number,     // ( as text
  bulk_string,    // $
  verbatim,       // = without its three letters of format
  array,          // *
  map,            // % as keys and values in turn
  set,            // ~
  push,           // > which answers no command
};

struct RespValue {
  RespType type = RespType::null;
  std::uint32_t items = 0;  // right below an aggregate; a map's keys and values are both counted
  std::uint32_t size = 1;   // values in all, this one included
  std::int64_t integer = 0;
  std::string_view text;
};

// The values right below an aggregate (none below any other).
class RespItems {
 public:
  explicit RespItems(const RespValue& aggregate)
      : begin_(&aggregate + 1), end_(&aggregate + aggregate.size) {}

  class Iterator {
   public:
    explicit Iterator(const RespValue* at) : at_(at) {}
    const RespValue& operator*() const { return *at_; }
    const RespValue* operator->() const { return at_; }
    Iterator& operator++() {
      at_ += at_->size;
      return *this;
    }
    friend bool operator==(Iterator, Iterator) = default;

   private:
    const RespValue* at_;
  };
  Iterator begin() const { return Iterator(begin_); }
  Iterator end() const { return Iterator(end_); }

 private:
  const RespValue* begin_;
  const RespValue* end_;
};

struct RespLimits {
  std::size_t line_bytes = 64 * 1024;
  std::size_t reply_bytes = 1024 * 1024;  // a whole reply, nested values and all
  std::size_t values = 16 * 1024;         // of a whole reply
  std::size_t depth = 8;                  // aggregates within each other
};

class RespParser {
 public:
  enum class Status { need_more, reply, error };

  explicit RespParser(const RespLimits& limits = {}) : limits_(limits) {}

  // Room for at least `n` more bytes; `commit` says how many were written.
  std::span<char> prepare(std::size_t n);
  void commit(std::size_t n) { end_ += n; }

  // Drops the reply returned before, and looks for the next one.
  Status next();

  const RespValue& reply() const { return values_.front(); }
  // What is wrong with the bytes.
  std::string_view error() const { return error_; }
  // Nothing of a further reply has arrived.
  bool idle() const { return begin_ + at_ == end_ && (done_ || at_ == 0); }

 private:
  enum class Step { need_more, value, error };

  struct Open {  // an aggregate whose values are still to come
    std::size_t at = 0;
    std::size_t left = 0;
    bool attribute = false;
  };
  // A text by its place in the buffer, which may move until the reply is whole.
  struct Place {
    std::size_t at = 0;
    std::size_t size = 0;
  };

  Step step();
  Step read_line();
  Step read_value(char type, Place text);
  Step read_bulk();
  Step open_bulk(char type, std::string_view length);
  Step open_aggregate(char type, std::string_view length);
  Step add(const RespValue& value, Place text);
  Step add_text(RespType type, Place text);
  Step add_number(RespType type, std::int64_t value);
  Step add_null() { return add({}, {0, 0}); }
  Step fail(std::string_view what);
  bool closes_reply();
  void start_reply();
  Status finish_reply();
  std::string_view view(Place p) const { return {buffer_.data() + begin_ + p.at, p.size}; }

  RespLimits limits_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // of the reply at hand
  std::size_t end_ = 0;      // of the bytes received
  std::size_t at_ = 0;       // of the next byte to read, from begin_
  std::size_t scanned_ = 0;  // bytes of the line already searched for its end, from begin_
  char bulk_type_ = 0;       // a string whose bytes are still to come
  std::size_t bulk_size_ = 0;
  std::size_t promised_ = 0;  // values still to come in open aggregates
  bool done_ = false;
  bool failed_ = false;
  bool attribute_pending_ = false;  // an attribute came last: a reply must follow
  std::vector<Open> open_;
  std::vector<RespValue> values_;
  std::vector<Place> places_;
  std::string_view error_;
};

// A command as every server reads it: an array of bulk strings.
void append_command(std::string& out, std::initializer_list<std::string_view> words);
// The same in parts: the number of words, then each word.
void append_command_size(std::string& out, std::size_t words);
void append_word(std::string& out, std::string_view word);

}  // namespace weir::wire
