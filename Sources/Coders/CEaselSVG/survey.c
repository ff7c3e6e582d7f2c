#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "CEaselSVG.h"
#include "payload.h"

// The text that is examined; the part before `at` is done.
typedef struct scan {
  const uint8_t *at, *end;
  easel_svg_survey *survey;
  // The number of drawings around this one.
  int drawings;
  // The number of open elements.
  uint64_t depth;
  // The depth of the outermost open element that others may repeat, and of the outermost one that is drawn to fill, hide
  // or mark others; 0 for none. The outermost element of the document counts as neither.
  uint64_t named_depth, pattern_depth;
  // True if the last tag has a name that others may refer to.
  bool is_named;
} scan;

// Drawings inside drawings are examined up to this depth.
enum { MOST_DRAWINGS = 4, LONGEST_NAME = 256 };

static void add(uint64_t *sum, uint64_t count) { *sum = count > UINT64_MAX - *sum ? UINT64_MAX : *sum + count; }

static bool is_blank(uint8_t byte) { return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r'; }

static bool is_letter(uint8_t byte) {
  return (byte | 32) >= 'a' ? (byte | 32) <= 'z' || byte >= 128 : byte == '_';
}

static bool starts(const scan *scan, const char *text) {
  size_t count = strlen(text);
  return (size_t)(scan->end - scan->at) >= count && memcmp(scan->at, text, count) == 0;
}

// Moves behind a text, or to the end.
static void skip_past(scan *scan, const char *text) {
  size_t count = strlen(text);
  const uint8_t *found = memmem(scan->at, (size_t)(scan->end - scan->at), text, count);
  scan->at = found ? found + count : scan->end;
}

static bool holds(const uint8_t *text, size_t count, const char *word) {
  return memmem(text, count, word, strlen(word)) != NULL;
}

// MARK: Style sheets

// Counts rules and their selectors. Drawing compares each selector with each element, and some selectors also with
// neighbouring elements.
static void scan_sheet(const uint8_t *at, const uint8_t *end, easel_svg_survey *survey) {
  size_t count = (size_t)(end - at);
  if (holds(at, count, "@import") && holds(at, count, "data:")) survey->is_unclear = true;
  while (at < end) {
    const uint8_t *brace = memchr(at, '{', (size_t)(end - at));
    if (!brace) return;
    bool is_in_word = false, is_group = false;
    uint64_t words = 0;
    for (const uint8_t *c = at; c <= brace; c++) {
      bool separates = is_blank(*c) || *c == '>' || *c == '+' || *c == '~', ends = *c == ',' || c == brace;
      if (*c == '@') is_group = true;
      if (!separates && !ends && !is_in_word) words++;
      is_in_word = !separates && !ends;
      if (!ends) continue;
      add(&survey->selectors, 1);
      if (words > 1) add(&survey->descents, 1);
      words = 0;
    }
    add(&survey->rules, 1);
    at = brace + 1;
    // The rules of a group are inside the group.
    if (is_group) continue;
    const uint8_t *close = memchr(at, '}', (size_t)(end - at));
    const uint8_t *next = close ? close : end;
    if (holds(at, (size_t)(next - at), "filter")) add(&survey->effects, 1);
    at = close ? close + 1 : end;
  }
}

static void scan_style_element(scan *scan) {
  const uint8_t *start = scan->at, *end = scan->end;
  for (const uint8_t *c = start; (c = memmem(c, (size_t)(end - c), "</", 2)); c += 2) {
    // The prefix of the name does not matter. Names are short, so only a limited number of bytes is searched for their
    // end.
    size_t most = end - c < LONGEST_NAME ? (size_t)(end - c) : LONGEST_NAME;
    const uint8_t *close = memchr(c, '>', most);
    if (!close || !holds(c, (size_t)(close - c), "style")) continue;
    end = c;
    break;
  }
  scan_sheet(start, end, scan->survey);
  scan->at = end;
}

// MARK: What URLs hold

static void scan_text(scan *scan);

static void scan_url(scan *scan, const uint8_t *url, const uint8_t *end) {
  while (url < end && is_blank(*url)) url++;
  size_t count = (size_t)(end - url);
  if (count < 5 || strncasecmp((const char *)url, "data:", 5) != 0) return;
  add(&scan->survey->url_bytes, count);
  size_t made;
  uint8_t *bytes = easel_svg_payload(url, count, &made);
  if (!bytes) {
    scan->survey->is_unclear = true;
    return;
  }
  easel_svg_pixels pixels = easel_svg_pixels_of(bytes, made);
  if (pixels.is_known) {
    add(&scan->survey->picture_pixels, pixels.count);
  } else if (memchr(bytes, '<', made) && scan->drawings < MOST_DRAWINGS) {
    struct scan inner = {.at = bytes, .end = bytes + made, .survey = scan->survey, .drawings = scan->drawings + 1};
    scan_text(&inner);
  } else if (memchr(bytes, '{', made)) {
    scan_sheet(bytes, bytes + made, scan->survey);
  } else {
    scan->survey->is_unclear = true;
  }
  free(bytes);
}

// MARK: Elements

static bool is_named(const uint8_t *name, size_t count, const char *wanted) {
  return count == strlen(wanted) && memcmp(name, wanted, count) == 0;
}

// Reads a name; returns the part after its prefix.
static const uint8_t *local_name(scan *scan, size_t *count) {
  const uint8_t *start = scan->at;
  for (; scan->at < scan->end; scan->at++) {
    uint8_t c = *scan->at;
    if (c == ':') start = scan->at + 1;
    else if (is_blank(c) || c == '>' || c == '/' || c == '=' || c == '"' || c == '\'' || c == '<') break;
  }
  *count = (size_t)(scan->at - start);
  return start;
}

// Moves behind the attributes of a tag; returns true if the element has content.
static bool scan_attributes(scan *scan) {
  while (scan->at < scan->end && *scan->at != '>') {
    if (*scan->at == '/' && scan->at + 1 < scan->end && scan->at[1] == '>') {
      scan->at += 2;
      return false;
    }
    if (!is_letter(*scan->at)) {
      scan->at++;
      continue;
    }
    size_t name_count;
    const uint8_t *name = local_name(scan, &name_count);
    while (scan->at < scan->end && (is_blank(*scan->at) || *scan->at == '=')) scan->at++;
    if (scan->at == scan->end || (*scan->at != '"' && *scan->at != '\'')) continue;
    const uint8_t *value = scan->at + 1, *close = memchr(value, *scan->at, (size_t)(scan->end - value));
    const uint8_t *end = close ? close : scan->end;
    if (is_named(name, name_count, "href") || is_named(name, name_count, "src")) scan_url(scan, value, end);
    if (is_named(name, name_count, "id")) scan->is_named = true;
    if (scan->pattern_depth && holds(value, (size_t)(end - value), "url(")) add(&scan->survey->nested_references, 1);
    bool has_effect = is_named(name, name_count, "filter") ||
                      (is_named(name, name_count, "style") && holds(value, (size_t)(end - value), "filter"));
    if (has_effect) add(&scan->survey->effects, 1);
    scan->at = close ? close + 1 : scan->end;
  }
  if (scan->at < scan->end) scan->at++;
  return true;
}

// True for elements that are drawn once more for each element that refers to them.
static bool is_pattern(const uint8_t *name, size_t count) {
  static const char *const names[] = {"pattern", "mask", "marker", "clipPath", "filter"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (is_named(name, count, names[i])) return true;
  }
  return false;
}

static void leave_element(scan *scan) {
  scan->depth -= scan->depth > 0;
  if (scan->depth < scan->named_depth) scan->named_depth = 0;
  if (scan->depth < scan->pattern_depth) scan->pattern_depth = 0;
}

static void scan_element(scan *scan) {
  size_t count;
  const uint8_t *name = local_name(scan, &count);
  add(&scan->survey->elements, 1);
  add(&scan->survey->ancestors, scan->depth);
  bool is_use = is_named(name, count, "use");
  if (is_use) add(&scan->survey->uses, 1);
  if (is_use && (scan->named_depth || scan->pattern_depth)) add(&scan->survey->nested_references, 1);
  if (is_named(name, count, "text")) add(&scan->survey->texts, 1);
  bool is_sheet = is_named(name, count, "style");
  scan->is_named = false;
  if (!scan_attributes(scan)) return;
  if (++scan->depth > scan->survey->depth) scan->survey->depth = scan->depth;
  if (scan->depth > 1 && scan->is_named && !scan->named_depth) scan->named_depth = scan->depth;
  if (is_pattern(name, count) && !scan->pattern_depth) scan->pattern_depth = scan->depth;
  if (is_sheet) scan_style_element(scan);
}

// Examines a declaration in angle brackets. A single declaration of elements, rules or further texts can create
// millions of them.
static void scan_declaration(scan *scan) {
  bool is_entity = starts(scan, "!ENTITY");
  for (; scan->at < scan->end && *scan->at != '>' && *scan->at != '['; scan->at++) {
    if (*scan->at != '"' && *scan->at != '\'') continue;
    const uint8_t *value = scan->at + 1, *close = memchr(value, *scan->at, (size_t)(scan->end - value));
    const uint8_t *end = close ? close : scan->end;
    for (const uint8_t *c = value; is_entity && c < end; c++) {
      if (*c == '<' || *c == '{' || *c == '&' || *c == '%') scan->survey->is_unclear = true;
    }
    scan->at = end;
    if (!close) return;
  }
}

static void scan_text(scan *scan) {
  while (scan->at < scan->end) {
    const uint8_t *angle = memchr(scan->at, '<', (size_t)(scan->end - scan->at));
    if (!angle) return;
    scan->at = angle + 1;
    if (starts(scan, "!--")) skip_past(scan, "-->");
    else if (starts(scan, "![CDATA[")) skip_past(scan, "]]>");
    else if (starts(scan, "!")) scan_declaration(scan);
    else if (starts(scan, "/")) leave_element(scan);
    else if (starts(scan, "?xml-stylesheet")) {
      scan->at += strlen("?xml-stylesheet");
      scan_attributes(scan);
    } else if (scan->at < scan->end && is_letter(*scan->at)) scan_element(scan);
  }
}

// Returns the bytes of UTF-16 without the zeros between the bytes that matter here; NULL if there is no memory.
static uint8_t *narrowed(const uint8_t *bytes, size_t count, size_t *made) {
  uint8_t *target = malloc(count);
  *made = 0;
  for (size_t i = 0; target && i < count; i++) {
    if (bytes[i]) target[(*made)++] = bytes[i];
  }
  return target;
}

void easel_svg_look_over(const uint8_t *bytes, size_t count, easel_svg_survey *survey) {
  *survey = (easel_svg_survey){.bytes = count};
  size_t start = count < 64 ? count : 64;
  uint8_t *narrow = NULL;
  if (start && memchr(bytes, 0, start)) {
    narrow = narrowed(bytes, count, &count);
    survey->is_unclear = !narrow;
    if (!narrow) return;
    bytes = narrow;
  }
  struct scan whole = {.at = bytes, .end = bytes + count, .survey = survey};
  scan_text(&whole);
  free(narrow);
}
