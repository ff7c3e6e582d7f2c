// Rows of pixels, for vectors of any kind: vector_avx2.h or its like comes before.

// EASEL_JPEG_STEP pixels at a time: those at even places, and those at odd ones. The rows of samples are readable up to
// 32 bytes beyond their ends.
typedef struct {
  vector even, odd;
} easel_jpeg_halves;

EASEL_JPEG_VECTOR easel_jpeg_halves easel_jpeg_split(const uint8_t *from) {
  vector both = v_load(from);
  easel_jpeg_halves halves = {v_and(both, v_set1_epi16(255)), v_srli_epi16(both, 8)};
  return halves;
}

// The part of both colours in green, rounded together.
EASEL_JPEG_VECTOR vector easel_jpeg_green(vector cb, vector cr) {
  vector by = v_set1_epi32((int)((uint32_t)(uint16_t)-22554 | (uint32_t)18734 << 16));
  vector round = v_set1_epi32(32768);
  vector low = v_madd_epi16(v_unpacklo_epi16(cb, cr), by);
  vector high = v_madd_epi16(v_unpackhi_epi16(cb, cr), by);
  low = v_srai_epi32(v_add_epi32(low, round), 16);
  high = v_srai_epi32(v_add_epi32(high, round), 16);
  return v_sub_epi16(v_packs_epi32(low, high), cr);
}

// The constants are rounded to a bit less than those of the reference, which changes no result.
EASEL_JPEG_VECTOR vector easel_jpeg_red(vector cr) {
  return v_add_epi16(cr, v_mulhrs_epi16(cr, v_set1_epi16(13175)));
}

EASEL_JPEG_VECTOR vector easel_jpeg_blue(vector cb) {
  return v_add_epi16(v_add_epi16(cb, cb), v_mulhrs_epi16(cb, v_set1_epi16(-7471)));
}

// Words of even and of odd pixels become bytes in order, within each half of the vector.
EASEL_JPEG_VECTOR vector easel_jpeg_mix(vector even, vector odd) {
  return v_weave(v_packus_epi16(even, odd));
}

EASEL_JPEG_VECTOR void easel_jpeg_store_pixels(uint8_t *to, vector r, vector g, vector b) {
  vector a = v_set1_epi8(-1);
  vector rg0 = v_unpacklo_epi8(r, g), rg1 = v_unpackhi_epi8(r, g);
  vector ba0 = v_unpacklo_epi8(b, a), ba1 = v_unpackhi_epi8(b, a);
  vector p0 = v_unpacklo_epi16(rg0, ba0), p1 = v_unpackhi_epi16(rg0, ba0);
  vector p2 = v_unpacklo_epi16(rg1, ba1), p3 = v_unpackhi_epi16(rg1, ba1);
  v_store_four_vectors(to, p0, p1, p2, p3);
}

// Colours come with their middle at zero.
EASEL_JPEG_VECTOR void easel_jpeg_convert(uint8_t *to, const uint8_t *y, easel_jpeg_halves cb, easel_jpeg_halves cr) {
  easel_jpeg_halves light = easel_jpeg_split(y);
  vector r = easel_jpeg_mix(v_add_epi16(light.even, easel_jpeg_red(cr.even)),
                             v_add_epi16(light.odd, easel_jpeg_red(cr.odd)));
  vector g = easel_jpeg_mix(v_add_epi16(light.even, easel_jpeg_green(cb.even, cr.even)),
                             v_add_epi16(light.odd, easel_jpeg_green(cb.odd, cr.odd)));
  vector b = easel_jpeg_mix(v_add_epi16(light.even, easel_jpeg_blue(cb.even)),
                             v_add_epi16(light.odd, easel_jpeg_blue(cb.odd)));
  easel_jpeg_store_pixels(to, r, g, b);
}

EASEL_JPEG_VECTOR easel_jpeg_halves easel_jpeg_center(easel_jpeg_halves halves) {
  vector middle = v_set1_epi16(128);
  easel_jpeg_halves centered = {v_sub_epi16(halves.even, middle), v_sub_epi16(halves.odd, middle)};
  return centered;
}

EASEL_JPEG_VECTOR easel_jpeg_halves easel_jpeg_same(const uint8_t *near, uint32_t x) {
  return easel_jpeg_center(easel_jpeg_split(near + x));
}

EASEL_JPEG_VECTOR easel_jpeg_halves easel_jpeg_plain(const uint8_t *near, uint32_t x) {
  vector words = v_load_words(near + x / 2);
  easel_jpeg_halves halves = {words, words};
  return easel_jpeg_center(halves);
}

EASEL_JPEG_VECTOR easel_jpeg_halves easel_jpeg_wide(const uint8_t *near, uint32_t x) {
  near += x / 2;
  vector here = v_load_words(near), triple = v_add_epi16(here, v_add_epi16(here, here));
  // The middle and the rounding are one summand.
  vector even = v_add_epi16(v_add_epi16(triple, v_set1_epi16(1 - 512)), v_load_words(near - 1));
  vector odd = v_add_epi16(v_add_epi16(triple, v_set1_epi16(2 - 512)), v_load_words(near + 1));
  easel_jpeg_halves halves = {v_srai_epi16(even, 2), v_srai_epi16(odd, 2)};
  return halves;
}

// Three times the nearest row and once the next one, from one sample before the row to one behind it.
EASEL_JPEG_VECTOR void easel_jpeg_add_rows(int16_t *sums, const uint8_t *near, const uint8_t *far, uint32_t count) {
  for (ptrdiff_t x = -16; x <= (ptrdiff_t)count; x += EASEL_JPEG_STEP / 2) {
    vector a = v_load_words(near + x), b = v_load_words(far + x);
    b = v_add_epi16(v_add_epi16(a, a), v_add_epi16(a, b));
    v_store(sums + x, b);
  }
}

EASEL_JPEG_VECTOR easel_jpeg_halves easel_jpeg_both(const int16_t *sums, uint32_t x) {
  sums += x / 2;
  vector here = v_load(sums);
  vector triple = v_add_epi16(here, v_add_epi16(here, here));
  vector even = v_add_epi16(triple, v_set1_epi16(8 - 2048));
  vector odd = v_add_epi16(triple, v_set1_epi16(7 - 2048));
  even = v_add_epi16(even, v_load(sums - 1));
  odd = v_add_epi16(odd, v_load(sums + 1));
  easel_jpeg_halves halves = {v_srai_epi16(even, 4), v_srai_epi16(odd, 4)};
  return halves;
}

// The last pixels pass through a copy, because what lies behind a row may belong to another.
#define EASEL_JPEG_PUT(cb, cr)                                                            \
  for (uint32_t x = 0; x < width; x += EASEL_JPEG_STEP) {                                              \
    uint8_t copy[4 * EASEL_JPEG_STEP];                                                                    \
    uint8_t *pixels = width - x < EASEL_JPEG_STEP ? copy : to + 4 * (size_t)x;                         \
    easel_jpeg_convert(pixels, samples->y + x, cb, cr);                                   \
    if (width - x < EASEL_JPEG_STEP) memcpy(to + 4 * (size_t)x, copy, 4 * (size_t)(width - x));        \
  }

#define EASEL_JPEG_ROW(name)                                                                                           \
  EASEL_JPEG_TARGET void EASEL_JPEG_NAMED(easel_jpeg_##name##_row)(const easel_jpeg_row_samples *samples, uint8_t *to, \
                                                                   uint32_t width) {                                   \
    const uint8_t *cb = samples->near[0], *cr = samples->near[1];                                                      \
    EASEL_JPEG_PUT(easel_jpeg_##name(cb, x), easel_jpeg_##name(cr, x))                                                 \
  }

EASEL_JPEG_ROW(same)
EASEL_JPEG_ROW(plain)
EASEL_JPEG_ROW(wide)

EASEL_JPEG_TARGET void EASEL_JPEG_NAMED(easel_jpeg_both_row)(const easel_jpeg_row_samples *samples, uint8_t *to,
                                                              uint32_t width) {
  for (int i = 0; i < 2; i++) {
    easel_jpeg_add_rows(samples->sums[i], samples->near[i], samples->far[i], (width + 1) / 2);
  }
  const int16_t *cb = samples->sums[0], *cr = samples->sums[1];
  EASEL_JPEG_PUT(easel_jpeg_both(cb, x), easel_jpeg_both(cr, x))
}

// The middle and the rounding are one summand.
EASEL_JPEG_VECTOR easel_jpeg_halves easel_jpeg_tall(const uint8_t *near, const uint8_t *far, uint32_t x,
                                                    vector summand) {
  easel_jpeg_halves a = easel_jpeg_split(near + x), b = easel_jpeg_split(far + x);
  vector even = v_add_epi16(v_add_epi16(a.even, v_add_epi16(a.even, a.even)), v_add_epi16(b.even, summand));
  vector odd = v_add_epi16(v_add_epi16(a.odd, v_add_epi16(a.odd, a.odd)), v_add_epi16(b.odd, summand));
  easel_jpeg_halves halves = {v_srai_epi16(even, 2), v_srai_epi16(odd, 2)};
  return halves;
}

EASEL_JPEG_TARGET void EASEL_JPEG_NAMED(easel_jpeg_tall_row)(const easel_jpeg_row_samples *samples, uint8_t *to,
                                                              uint32_t width) {
  vector summand = v_set1_epi16((samples->is_lower ? 2 : 1) - 512);
  EASEL_JPEG_PUT(easel_jpeg_tall(samples->near[0], samples->far[0], x, summand),
                 easel_jpeg_tall(samples->near[1], samples->far[1], x, summand))
}

EASEL_JPEG_TARGET void EASEL_JPEG_NAMED(easel_jpeg_gray_row)(const easel_jpeg_row_samples *samples, uint8_t *to,
                                                              uint32_t width) {
  for (uint32_t x = 0; x < width; x += EASEL_JPEG_STEP) {
    uint8_t copy[4 * EASEL_JPEG_STEP];
    vector y = v_load(samples->y + x);
    easel_jpeg_store_pixels(width - x < EASEL_JPEG_STEP ? copy : to + 4 * (size_t)x, y, y, y);
    if (width - x < EASEL_JPEG_STEP) memcpy(to + 4 * (size_t)x, copy, 4 * (size_t)(width - x));
  }
}
