#include "CEaselCurl.h"

#include <string.h>

static bool is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\r'; }

static void trim(const char **text, size_t *count) {
  while (*count > 0 && is_blank(**text)) {
    *text += 1;
    *count -= 1;
  }
  while (*count > 0 && is_blank((*text)[*count - 1])) *count -= 1;
}

/// Returns the end of the line that begins at `place`, or the end of the head if it is the last line.
static size_t end_of_line(const char *head, size_t count, size_t place) {
  const char *end = memchr(head + place, '\n', count - place);
  return end ? (size_t)(end - head) : count;
}

int easel_head_status(const char *head, size_t count, size_t *place) {
  size_t start = 0;
  while (start < count && head[start] == '\n') start++;
  size_t end = end_of_line(head, count, start);
  *place = end;
  if (end - start < 5 || memcmp(head + start, "HTTP/", 5) != 0) return -1;
  const char *rest = memchr(head + start, ' ', end - start);
  if (!rest) return -1;
  size_t left = (size_t)(head + end - rest);
  trim(&rest, &left);
  int status = 0;
  size_t digits = 0;
  for (; digits < left && rest[digits] >= '0' && rest[digits] <= '9'; digits++) {
    if (digits == 3) return -1;
    status = status * 10 + rest[digits] - '0';
  }
  return digits == 3 ? status : -1;
}

bool easel_head_next(const char *head, size_t count, size_t *place, easel_field *field) {
  while (*place < count) {
    size_t start = *place;
    if (head[start] == '\n') {
      *place += 1;
      continue;
    }
    size_t end = end_of_line(head, count, start);
    // A line that begins with a blank continues the value of the line before; the blanks in between stay.
    field->is_folded = false;
    while (end + 1 < count && is_blank(head[end + 1])) {
      end = end_of_line(head, count, end + 1);
      field->is_folded = true;
    }
    *place = end;
    const char *colon = is_blank(head[start]) ? NULL : memchr(head + start, ':', end - start);
    if (!colon) continue;
    field->name = head + start;
    field->name_count = (size_t)(colon - field->name);
    field->value = colon + 1;
    field->value_count = (size_t)(head + end - field->value);
    field->has_gap = colon > head + start && is_blank(colon[-1]);
    trim(&field->name, &field->name_count);
    trim(&field->value, &field->value_count);
    if (field->name_count > 0) return true;
  }
  return false;
}
