#include "internal.h"

EASEL_INLINE uint8_t easel_paeth(int a, int b, int c) {
  int pa = b - c, pb = a - c, pc = pa + pb;
  pa = pa < 0 ? -pa : pa;
  pb = pb < 0 ? -pb : pb;
  pc = pc < 0 ? -pc : pc;
  if (pa <= pb && pa <= pc) return (uint8_t)a;
  return (uint8_t)(pb <= pc ? b : c);
}

EASEL_INLINE void easel_unfilter_sub(uint8_t *row, size_t bytes, size_t bpp) {
  for (size_t i = bpp; i < bytes; i++) row[i] = (uint8_t)(row[i] + row[i - bpp]);
}

EASEL_INLINE void easel_unfilter_average(uint8_t *row, const uint8_t *above, size_t bytes, size_t bpp) {
  for (size_t i = 0; i < bytes; i++) {
    unsigned left = i >= bpp ? row[i - bpp] : 0, up = above ? above[i] : 0;
    row[i] = (uint8_t)(row[i] + (left + up) / 2);
  }
}

EASEL_INLINE void easel_unfilter_paeth(uint8_t *row, const uint8_t *above, size_t bytes, size_t bpp) {
  for (size_t i = 0; i < bytes; i++) {
    int left = i >= bpp ? row[i - bpp] : 0, up = above ? above[i] : 0;
    int corner = above && i >= bpp ? above[i - bpp] : 0;
    row[i] = (uint8_t)(row[i] + easel_paeth(left, up, corner));
  }
}

EASEL_INLINE void easel_unfilter_up_body(uint8_t *row, const uint8_t *above, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) row[i] = (uint8_t)(row[i] + above[i]);
}

EASEL_CLONES(easel_unfilter_up, (uint8_t *row, const uint8_t *above, size_t bytes), (row, above, bytes))

// The scalar reference for every filter except Up. It is compiled once for each pixel size, so that neighbours stay in
// registers.
static void easel_unfilter_scalar(int filter, uint8_t *row, const uint8_t *above, size_t bytes, size_t bpp) {
#define EASEL_DISTANCE(n)                                                                                              \
  case n:                                                                                                              \
    if (filter == 1) easel_unfilter_sub(row, bytes, n);                                                                \
    if (filter == 3) easel_unfilter_average(row, above, bytes, n);                                                     \
    if (filter == 4) easel_unfilter_paeth(row, above, bytes, n);                                                       \
    break;
  switch (bpp) {
    EASEL_DISTANCE(1)
    EASEL_DISTANCE(2)
    EASEL_DISTANCE(3)
    EASEL_DISTANCE(4)
    EASEL_DISTANCE(6)
    EASEL_DISTANCE(8)
  }
#undef EASEL_DISTANCE
}

#if defined(EASEL_X86)

EASEL_SSE41 EASEL_INLINE __m128i easel_load_pixel(const uint8_t *p, size_t bpp) {
  uint64_t v = 0;
  memcpy(&v, p, bpp);
  return _mm_cvtsi64_si128((long long)v);
}

EASEL_SSE41 EASEL_INLINE void easel_store_pixel(uint8_t *p, __m128i v, size_t bpp) {
  uint64_t bytes = (uint64_t)_mm_cvtsi128_si64(v);
  memcpy(p, &bytes, bpp);
}

EASEL_SSE41 EASEL_INLINE void easel_sub_sse41(uint8_t *row, size_t bytes, size_t bpp) {
  __m128i left = _mm_setzero_si128();
  for (size_t i = 0; i < bytes; i += bpp) {
    left = _mm_add_epi8(easel_load_pixel(row + i, bpp), left);
    easel_store_pixel(row + i, left, bpp);
  }
}

EASEL_SSE41 EASEL_INLINE void easel_average_sse41(uint8_t *row, const uint8_t *above, size_t bytes, size_t bpp) {
  const __m128i one = _mm_set1_epi8(1);
  __m128i left = _mm_setzero_si128();
  for (size_t i = 0; i < bytes; i += bpp) {
    __m128i up = easel_load_pixel(above + i, bpp);
    // Corrects the result of pavgb, which rounds up, because the filter rounds down.
    __m128i mean = _mm_sub_epi8(_mm_avg_epu8(left, up), _mm_and_si128(_mm_xor_si128(left, up), one));
    left = _mm_add_epi8(easel_load_pixel(row + i, bpp), mean);
    easel_store_pixel(row + i, left, bpp);
  }
}

EASEL_SSE41 EASEL_INLINE void easel_paeth_sse41(uint8_t *row, const uint8_t *above, size_t bytes, size_t bpp) {
  const __m128i mask = _mm_set1_epi16(255);
  __m128i a = _mm_setzero_si128(), c = a;
  for (size_t i = 0; i < bytes; i += bpp) {
    __m128i b = _mm_cvtepu8_epi16(easel_load_pixel(above + i, bpp));
    __m128i d = _mm_cvtepu8_epi16(easel_load_pixel(row + i, bpp));
    __m128i pa = _mm_sub_epi16(b, c), pb = _mm_sub_epi16(a, c), pc = _mm_abs_epi16(_mm_add_epi16(pa, pb));
    pa = _mm_abs_epi16(pa);
    pb = _mm_abs_epi16(pb);
    __m128i smallest = _mm_min_epi16(pc, _mm_min_epi16(pa, pb));
    __m128i nearest = _mm_blendv_epi8(c, b, _mm_cmpeq_epi16(smallest, pb));
    nearest = _mm_blendv_epi8(nearest, a, _mm_cmpeq_epi16(smallest, pa));
    a = _mm_and_si128(_mm_add_epi16(d, nearest), mask);
    c = b;
    easel_store_pixel(row + i, _mm_packus_epi16(a, a), bpp);
  }
}

#define EASEL_VECTORS(kernel) kernel##_sse41
#define EASEL_FOR_VECTORS EASEL_SSE41

#elif defined(EASEL_NEON)

EASEL_INLINE uint8x8_t easel_load_pixel(const uint8_t *p, size_t bpp) {
  uint64_t v = 0;
  memcpy(&v, p, bpp);
  return vcreate_u8(v);
}

EASEL_INLINE void easel_store_pixel(uint8_t *p, uint8x8_t v, size_t bpp) {
  uint64_t bytes = vget_lane_u64(vreinterpret_u64_u8(v), 0);
  memcpy(p, &bytes, bpp);
}

EASEL_INLINE void easel_sub_neon(uint8_t *row, size_t bytes, size_t bpp) {
  uint8x8_t left = vdup_n_u8(0);
  for (size_t i = 0; i < bytes; i += bpp) {
    left = vadd_u8(easel_load_pixel(row + i, bpp), left);
    easel_store_pixel(row + i, left, bpp);
  }
}

EASEL_INLINE void easel_average_neon(uint8_t *row, const uint8_t *above, size_t bytes, size_t bpp) {
  uint8x8_t left = vdup_n_u8(0);
  for (size_t i = 0; i < bytes; i += bpp) {
    left = vadd_u8(easel_load_pixel(row + i, bpp), vhadd_u8(left, easel_load_pixel(above + i, bpp)));
    easel_store_pixel(row + i, left, bpp);
  }
}

EASEL_INLINE void easel_paeth_neon(uint8_t *row, const uint8_t *above, size_t bytes, size_t bpp) {
  uint8x8_t a = vdup_n_u8(0), c = a;
  for (size_t i = 0; i < bytes; i += bpp) {
    uint8x8_t b = easel_load_pixel(above + i, bpp), pa = vabd_u8(b, c), pb = vabd_u8(a, c);
    uint16x8_t pc = vabdq_u16(vaddl_u8(a, b), vshll_n_u8(c, 1));
    uint8x8_t a_beats_c = vmovn_u16(vcleq_u16(vmovl_u8(pa), pc)), b_beats_c = vmovn_u16(vcleq_u16(vmovl_u8(pb), pc));
    uint8x8_t nearest = vbsl_u8(vand_u8(vcle_u8(pa, pb), a_beats_c), a, vbsl_u8(b_beats_c, b, c));
    a = vadd_u8(easel_load_pixel(row + i, bpp), nearest);
    c = b;
    easel_store_pixel(row + i, a, bpp);
  }
}

#define EASEL_VECTORS(kernel) kernel##_neon
#define EASEL_FOR_VECTORS

#endif

#if defined(EASEL_VECTORS)

EASEL_FOR_VECTORS static bool easel_unfilter_vectors(int filter, uint8_t *row, const uint8_t *above, size_t bytes,
                                                     size_t bpp) {
#define EASEL_DISTANCE(n)                                                                                              \
  case n:                                                                                                              \
    if (filter == 1) EASEL_VECTORS(easel_sub)(row, bytes, n);                                                          \
    if (filter == 3) EASEL_VECTORS(easel_average)(row, above, bytes, n);                                               \
    if (filter == 4) EASEL_VECTORS(easel_paeth)(row, above, bytes, n);                                                 \
    return true;
  if (bytes % bpp || (filter != 1 && !above)) return false;
  switch (bpp) {
    EASEL_DISTANCE(3)
    EASEL_DISTANCE(4)
    EASEL_DISTANCE(6)
    EASEL_DISTANCE(8)
    default: return false;
  }
#undef EASEL_DISTANCE
}

#endif

bool easel_png_unfilter(int filter, size_t bytes_per_pixel, void *row, const void *above, size_t bytes) {
  size_t bpp = bytes_per_pixel;
  if (filter < 0 || filter > 4 || bpp == 0 || bpp == 5 || bpp == 7 || bpp > 8) return false;
  if (filter == 0 || (filter == 2 && !above)) return true;
  if (filter == 2) {
    easel_unfilter_up(row, above, bytes);
    return true;
  }
#if defined(EASEL_VECTORS)
  if (easel_pixels_level() > EASEL_LEVEL_SCALAR && easel_unfilter_vectors(filter, row, above, bytes, bpp)) return true;
#endif
  easel_unfilter_scalar(filter, row, above, bytes, bpp);
  return true;
}
