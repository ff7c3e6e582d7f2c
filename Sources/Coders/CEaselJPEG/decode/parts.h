#ifndef EASEL_JPEG_DECODER_PARTS_H
#define EASEL_JPEG_DECODER_PARTS_H

#include "decoder.h"

#define EASEL_JPEG_ALWAYS static inline __attribute__((always_inline))
#define EASEL_JPEG_RARELY(condition) __builtin_expect(!!(condition), 0)
#if defined(__x86_64__)
#define EASEL_JPEG_AVX2 __attribute__((target("avx2,bmi,bmi2")))
#endif

// The instructions that a decoder may use.
typedef enum {
  EASEL_JPEG_PLAIN,
  // Vectors of 128 bits: SSE4.1 or NEON.
  EASEL_JPEG_NARROW,
  // AVX2, and on the way to it the instructions for bits of its time.
  EASEL_JPEG_WIDE,
} easel_jpeg_vectors;

easel_jpeg_vectors easel_jpeg_best_vectors(void);

// ---- Codes

enum {
  // The bits of the stream that select an entry of a table.
  EASEL_JPEG_AC_BITS = 11,
  EASEL_JPEG_DC_BITS = 10,
  EASEL_JPEG_SKIP_BITS = 12,
  // Added to the position in a block by the code that ends it.
  EASEL_JPEG_BLOCK_END = 128,
  // Two codes are read at once only before this position, so that the second one is in the block for certain.
  EASEL_JPEG_PAIR_END = 47,
};

// The codes of a table as a file gives them.
typedef struct {
  uint8_t counts[17], symbols[256];
  bool is_there;
} easel_jpeg_codes;

// Codes that are longer than a table reaches: `limits[n]` is the first value of 16 bits that no code of up to n bits
// begins with.
typedef struct {
  uint32_t limits[18];
  int32_t offsets[18];
  uint8_t symbols[256];
} easel_jpeg_long_codes;

// An entry holds, from its lowest byte on, the number of bits of one or two codes with their values, the steps to the
// position of the first and of the last, an unused byte, and both values. Entries without bits name a code whose value
// does not fit (its bits and its symbol), or none.
typedef struct {
  uint64_t pairs[1 << EASEL_JPEG_AC_BITS], singles[1 << EASEL_JPEG_AC_BITS];
  // For blocks of which only the mean is wanted: bits in the low byte, and steps.
  uint16_t skips[1 << EASEL_JPEG_SKIP_BITS], single_skips[1 << EASEL_JPEG_SKIP_BITS];
  easel_jpeg_long_codes longer;
} easel_jpeg_ac_table;

// An entry holds the number of bits in its low half and the difference in its high half.
typedef struct {
  uint32_t entries[1 << EASEL_JPEG_DC_BITS];
  easel_jpeg_long_codes longer;
} easel_jpeg_dc_table;

// For scans of levels of a progressive picture. An entry holds the number of bits in its lowest byte, then the steps to
// the position and in the high half the level, or EASEL_JPEG_BLOCK_END and the number of blocks that end. Entries without
// bits hold the length of the code and its symbol, or nothing. In a scan that only refines, all entries hold the length
// of the code in the lowest byte and its symbol in the high half.
typedef struct {
  uint32_t entries[1 << EASEL_JPEG_AC_BITS];
  easel_jpeg_long_codes longer;
} easel_jpeg_band_table;

bool easel_jpeg_long_codes_make(easel_jpeg_long_codes *longer, const easel_jpeg_codes *codes);
bool easel_jpeg_ac_table_make(easel_jpeg_ac_table *table, const easel_jpeg_codes *codes);
// The levels have no bits below `low`.
bool easel_jpeg_band_table_make(easel_jpeg_band_table *table, const easel_jpeg_codes *codes, int low, bool refines);
bool easel_jpeg_dc_table_make(easel_jpeg_dc_table *table, const easel_jpeg_codes *codes);

// ---- Headers

typedef struct {
  uint8_t id, h, v, quanta, dc, ac;
} easel_jpeg_component;

typedef struct {
  // The number of bytes up to the scan.
  size_t scan;
  uint32_t width, height, restart;
  int components;
  easel_jpeg_component component[3];
  // In rows, not in the order of a scan.
  uint16_t quanta[4][64];
  bool has_quanta[4];
  easel_jpeg_codes dc_codes[4], ac_codes[4];
} easel_jpeg_headers;

// Takes the content of a segment of codes; false if it is damaged.
bool easel_jpeg_headers_take_codes(easel_jpeg_headers *headers, const uint8_t *bytes, size_t count);
easel_jpeg_decoder_status easel_jpeg_headers_read(easel_jpeg_headers *headers, const uint8_t *bytes, size_t count);
// True for grey, and for three components of which the last two are sampled alike, once in each direction of a group.
bool easel_jpeg_is_usual(easel_jpeg_headers *headers);
extern const uint8_t easel_jpeg_places[256];

// ---- Bits

enum {
  // No group of blocks takes more bytes: ten blocks of 64 codes of 31 bits at most.
  EASEL_JPEG_MOST_GROUP = 10 * 64 * 31 / 8 + 16,
  EASEL_JPEG_WINDOW = 16384,
  EASEL_JPEG_WINDOW_SIZE = EASEL_JPEG_WINDOW + EASEL_JPEG_MOST_GROUP + 128,
};

typedef enum { EASEL_JPEG_SOUND, EASEL_JPEG_WRONG, EASEL_JPEG_HUNGRY } easel_jpeg_state;

// The bytes of a scan without those that were stuffed in, some at a time.
typedef struct {
  // Bytes at hand that are not in the window yet, and true if no others will come.
  const uint8_t *next, *end;
  bool is_end;
  // The bytes in `window` up to `filled`; when a marker follows them, zeros follow up to the end.
  uint8_t *window;
  size_t filled;
  bool is_at_marker;
  // The bits at hand, the first one highest, and their number in the low byte.
  uint64_t bits, count;
  // The byte that is read next, and the first one at which a whole group may not be there.
  const uint8_t *position, *limit;
} easel_jpeg_bits;

void easel_jpeg_bits_begin(easel_jpeg_bits *bits, uint8_t *window);
void easel_jpeg_bits_open(easel_jpeg_bits *bits, const uint8_t *next, const uint8_t *end, bool is_end);
// Makes sure that a whole group can be read. Wrong if more was read than there was.
easel_jpeg_state easel_jpeg_bits_fill(easel_jpeg_bits *bits);
// True if no more was read than there was.
bool easel_jpeg_bits_are_sound(const easel_jpeg_bits *bits);
// Goes past a marker; wrong if another or none is there.
easel_jpeg_state easel_jpeg_bits_pass(easel_jpeg_bits *bits, int marker);
// Goes past the marker that ends the file, and whatever libjpeg-turbo overlooks before it.
easel_jpeg_state easel_jpeg_bits_end(easel_jpeg_bits *bits);
// Lets a hungry reader read a group of which bytes may be missing. It counts only if the bits are sound behind it.
void easel_jpeg_bits_stretch(easel_jpeg_bits *bits);

// ---- Blocks

typedef struct {
  const easel_jpeg_dc_table *dc;
  const easel_jpeg_ac_table *ac;
  int component;
  bool only_mean;
} easel_jpeg_block_kind;

typedef struct {
  easel_jpeg_vectors vectors;
  // The blocks of a group, and what they take of both results.
  int blocks, levels, lasts;
  easel_jpeg_block_kind kinds[10];
  uint32_t means[3];
} easel_jpeg_groups;

// Reads the blocks of `count` groups, or of fewer if it is hungry, and sets `count` to their number. The levels go into
// `levels`, which must be zero, and the last position that is not zero of each block into `lasts`.
easel_jpeg_state easel_jpeg_groups_read(easel_jpeg_groups *groups, easel_jpeg_bits *bits, uint32_t *count,
                                        int16_t *levels, uint8_t *lasts);

// ---- Pixels of blocks

// Turns a block, or two, into samples. The levels are in rows.
typedef void easel_jpeg_block_function(const int16_t *levels, const uint16_t *quanta, uint8_t *to, ptrdiff_t stride);
typedef void easel_jpeg_blocks_function(const int16_t *const levels[2], const uint16_t *quanta, uint8_t *const to[2],
                                        ptrdiff_t stride);

easel_jpeg_block_function easel_jpeg_block_8, easel_jpeg_block_4, easel_jpeg_block_2, easel_jpeg_block_1;
// A block whose levels are all zero but the first.
void easel_jpeg_flat_block(int size, int level, uint16_t quantum, uint8_t *to, ptrdiff_t stride);

typedef struct {
  // For blocks of any kind, and for those with levels in the first ten positions only.
  easel_jpeg_blocks_function *any, *corner;
} easel_jpeg_block_kernels;

easel_jpeg_block_kernels easel_jpeg_block_kernels_for(int size, easel_jpeg_vectors vectors);

// ---- Rows

// What it takes to make a row of pixels: samples of the row itself, of the nearest row of colour and of the next one.
typedef struct {
  const uint8_t *y, *near[2], *far[2];
  // True if the next row of colour is below the nearest one.
  bool is_lower;
  // Room for sums of both colours: of as many samples as a row of them has, and 16 at each end.
  int16_t *sums[2];
} easel_jpeg_row_samples;

typedef void easel_jpeg_row_function(const easel_jpeg_row_samples *samples, uint8_t *to, uint32_t width);

typedef enum {
  EASEL_JPEG_ROW_GRAY,
  EASEL_JPEG_ROW_SAME,
  EASEL_JPEG_ROW_WIDE,
  // Without interpolation.
  EASEL_JPEG_ROW_WIDE_PLAIN,
  EASEL_JPEG_ROW_BOTH,
  // Colours of half the rows, and of all columns.
  EASEL_JPEG_ROW_TALL,
  EASEL_JPEG_ROW_TALL_PLAIN,
} easel_jpeg_row_kind;

easel_jpeg_row_function *easel_jpeg_row_kernel(easel_jpeg_row_kind kind, easel_jpeg_vectors vectors);

#endif
