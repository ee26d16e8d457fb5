// Files as they are packed, and the lines in them.
#include "traffic/source.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "traffic/blocks.h"
#include "traffic/reader.h"

namespace weir::traffic {
namespace {

namespace fs = std::filesystem;

class SourceTest : public ::testing::Test {
 protected:
  SourceTest() {
    std::string name = (fs::temp_directory_path() / "weir-source-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~SourceTest() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, std::string_view bytes) {
    std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  // All of it, in reads of random sizes; `error` has what ended it early.
  std::string read_all(const std::string& path, std::string& error) {
    error.clear();
    auto source = open_source(path);
    if (!source) return error = source.error().text(), "";
    std::string all;
    std::vector<char> buffer(1 << 16);
    for (;;) {
      const std::size_t most = 1 + random_() % buffer.size();
      const auto n = (*source)->read({buffer.data(), most});
      if (!n) return error = n.error().text(), all;
      if (*n == 0) return all;
      all.append(buffer.data(), *n);
    }
  }
  std::string read_all(const std::string& path) {
    std::string error;
    std::string all = read_all(path, error);
    EXPECT_EQ(error, "");
    return all;
  }

  std::string text(std::size_t size) {
    std::string text;
    while (text.size() < size) text += "line " + std::to_string(random_() % 1'000) + "\n";
    return text;
  }

  fs::path folder_;
  std::mt19937_64 random_{7};
};

std::string gzip(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

TEST_F(SourceTest, ReadsAFileAsItIs) {
  const std::string all = text(300'000);
  EXPECT_EQ(read_all(write("a.log", all)), all);
  EXPECT_EQ(read_all(write("empty.log", "")), "");
  EXPECT_EQ(read_all(write("short.log", "x")), "x");
}

TEST_F(SourceTest, UnpacksByWhatTheFileBeginsWith) {
  const std::string all = text(300'000);
  EXPECT_EQ(read_all(write("gzip.log", gzip(all))), all);
  EXPECT_EQ(read_all(write("zstd.log", zstd(all))), all);
  EXPECT_EQ(read_all(write("plain.gz", all)), all);
  EXPECT_EQ(read_all(write("nothing.gz", gzip(""))), "");
}

TEST_F(SourceTest, UnpacksEveryMemberAndFrame) {
  const std::string a = text(100'000), b = text(10), c = text(70'000);
  EXPECT_EQ(read_all(write("m.gz", gzip(a) + gzip("") + gzip(b) + gzip(c))), a + b + c);
  EXPECT_EQ(read_all(write("f.zst", zstd(a) + zstd("") + zstd(b) + zstd(c))), a + b + c);
  EXPECT_EQ(read_all(write("padded.gz", gzip(a) + std::string(512, '\0'))), a);
}

TEST_F(SourceTest, SaysWhatIsWrongWithAPackedFile) {
  const std::string all = text(300'000);
  std::string error;
  for (const std::string& packed : {gzip(all), zstd(all)}) {
    const std::string path = write("cut", packed.substr(0, packed.size() / 2));
    const std::string got = read_all(path, error);
    EXPECT_TRUE(all.starts_with(got));
    EXPECT_GT(got.size(), 1'000u);
    EXPECT_NE(error.find("ends in the middle"), std::string::npos) << error;
    EXPECT_NE(error.find(path), std::string::npos);
    std::string wrong = packed;
    for (std::size_t i = wrong.size() / 2; i < wrong.size() / 2 + 64; ++i) wrong[i] ^= 0x5a;
    (void)read_all(write("wrong", wrong), error);
    EXPECT_NE(error.find("damaged"), std::string::npos) << error;
  }
  (void)read_all(write("trailing.gz", gzip(all) + "rubbish"), error);
  EXPECT_NE(error.find("damaged"), std::string::npos) << error;
  (void)read_all(write("b.bz2", "BZh91AY&SY"), error);
  EXPECT_NE(error.find("pipe it in"), std::string::npos) << error;
  (void)read_all(folder_.string(), error);
  EXPECT_NE(error.find("directory"), std::string::npos) << error;
  (void)read_all((folder_ / "absent").string(), error);
  EXPECT_NE(error.find("absent"), std::string::npos) << error;
}

// Gives what it holds in pieces of one size.
class Pieces final : public Source {
 public:
  Pieces(std::string bytes, std::size_t piece) : bytes_(std::move(bytes)), piece_(piece) {}
  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t n = std::min({into.size(), piece_, bytes_.size() - at_});
    std::copy_n(bytes_.data() + at_, n, into.data());
    at_ += n;
    return n;
  }
  std::uint64_t position() const override { return at_; }

 private:
  std::string bytes_;
  std::size_t piece_;
  std::size_t at_ = 0;
};

// The lines of a source; of those that are long, what stands for them.
std::vector<std::string> lines_of(Source& source) {
  std::vector<std::string> seen;
  Blocks blocks(source);
  for (Block block; blocks.next(block);) {
    EXPECT_FALSE(block.text().empty());
    EXPECT_TRUE(blocks.ended() || block.text().back() == '\n');
    Lines lines(block.text());
    for (std::string_view line; lines.next(line);) {
      EXPECT_LE(line.size(), Lines::kMostLine);
      seen.emplace_back(line.size() < 10 ? line : lines.too_long() ? "too long" : "longest");
    }
  }
  EXPECT_TRUE(blocks.ended());
  return seen;
}

TEST(Lines, AreWhatStandsBetweenLineEnds) {
  for (const std::size_t piece : {1u, 2u, 3u, 1'000u}) {
    Pieces source("a\n\nbc\r\nd\re\n\r\nlast", piece);
    EXPECT_EQ(lines_of(source), (std::vector<std::string>{"a", "", "bc", "d\re", "", "last"}));
  }
}

TEST(Lines, PassOverWhatIsTooLong) {
  const std::string longest(Lines::kMostLine, 'x');
  const std::string all = "a\n" + longest + "\n" + longest + "y\nb\n" + longest + longest +
                          longest + longest + longest + longest + "\nc\n" + longest + "zz";
  for (const std::size_t piece : {100'000u, 1'048'577u, 100'000'000u}) {
    Pieces source(all, piece);
    EXPECT_EQ(lines_of(source), (std::vector<std::string>{"a", "longest", "too long", "b",
                                                          "too long", "c", "too long"}))
        << piece;
  }
}

TEST(Lines, OfManyBlocksAreAllThere) {
  std::string all;
  std::size_t count = 0;
  for (; all.size() < 3 * Blocks::kSize; ++count) all += std::string(count % 7'000, 'l') + "\n";
  Pieces source(all, 1'000'003);
  EXPECT_EQ(lines_of(source).size(), count);
  Pieces unended(all + "end", 1'000'003);
  EXPECT_EQ(lines_of(unended).back(), "end");
}

TEST_F(SourceTest, FilesOfAPatternComeOldestFirst) {
  for (const char* name : {"access.log", "access.log.1", "access.log.2.gz", "access.log.10.gz",
                           "other.log", "dated-20261101", "dated-20261102"}) {
    write(name, "x");
  }
  const auto named = [&](const std::vector<std::string>& patterns) {
    std::vector<std::string> paths;
    for (const std::string& p : patterns) paths.push_back((folder_ / p).string());
    const auto files = expand_paths(paths);
    EXPECT_TRUE(files.has_value());
    std::string names;
    for (const std::string& file : *files) names += fs::path(file).filename().string() + " ";
    return names;
  };
  EXPECT_EQ(named({"access*"}), "access.log.10.gz access.log.2.gz access.log.1 access.log ");
  EXPECT_EQ(named({"dated*", "access.log"}), "dated-20261101 dated-20261102 access.log ");
  const auto none = expand_paths({(folder_ / "none*").string()});
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().text().find("no file matches"), std::string::npos);
  EXPECT_FALSE(expand_paths({(folder_ / "absent").string()}).has_value());
}

}  // namespace
}  // namespace weir::traffic
