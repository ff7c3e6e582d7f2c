#define _GNU_SOURCE
#include <curl/curl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "CEaselColor.h"
#include "CEaselCurl.h"
#include "CEaselDisk.h"
#include "CEaselListener.h"
#include "CEaselMemory.h"
#include "CEaselRecords.h"
#include "CEaselRedis.h"
#include "CEaselService.h"
#include "checks.h"
#include "noise.h"

// ---- Colours

static void check_color(void) {
  char message[EASEL_COLOR_MESSAGE_SIZE];
  easel_color_end end = {.kind = EASEL_COLOR_SRGB, .layout = EASEL_COLOR_RGBA8};
  easel_color_transform *transform;
  check(easel_color_transform_create(&end, &end, message, &transform) == EASEL_COLOR_OK, "colour: transform");
  uint8_t pixels[64 * 4], same[64 * 4];
  noise n = noise_of(3);
  for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(next(&n) >> 32);
  easel_color_transform_apply(transform, pixels, same, 64);
  int largest = 0;
  for (size_t i = 0; i < sizeof pixels; i++) largest = abs(pixels[i] - same[i]) > largest ? abs(pixels[i] - same[i]) : largest;
  check(largest <= 1, "colour: sRGB stays sRGB");
  easel_color_transform_destroy(transform);

  easel_color_end broken = {.kind = EASEL_COLOR_EMBEDDED, .bytes = pixels, .count = sizeof pixels};
  check(easel_color_transform_create(&broken, &end, message, &transform) == EASEL_COLOR_BAD_PROFILE,
        "colour: nonsense is no profile");

  easel_coding coding = {.primaries = 9, .transfer = EASEL_TRANSFER_PQ, .peak = 1000};
  easel_coding_transform *rows = easel_coding_transform_create(&coding);
  check(rows, "colour: PQ");
  const uint16_t color[4] = {30000, 20000, 25000, 65535};
  uint16_t converted[4];
  double exact[3], parts[3] = {30000 / 65535.0, 20000 / 65535.0, 25000 / 65535.0};
  easel_coding_transform_apply(rows, EASEL_COLOR_RGBA16, color, EASEL_COLOR_RGBA16, converted, 1, 0);
  easel_coding_to_srgb(&coding, parts, exact);
  for (size_t i = 0; i < 3; i++) check(abs((int)(exact[i] * 65535) - converted[i]) < 100, "colour: PQ as its formula");
  easel_coding_transform_destroy(rows);
}

// ---- Disk

static void check_disk(const char *folder) {
  check(easel_record_checksum("", 0, 0) == 0xEF46DB3751D8E999u, "records: sum of nothing");
  const char *text = "Nobody inspects the spammish repetition";
  check(easel_record_checksum(text, strlen(text), 0) == 0xFBCEA83C8A378BF1u, "records: sum of a text");
  char path[300];
  snprintf(path, sizeof path, "%s/index", folder);
  sqlite3 *database;
  check(easel_sqlite_open(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) == SQLITE_OK, "disk: database");
  check(easel_sqlite_harden(database) == SQLITE_OK, "disk: database hardened");
  check(sqlite3_exec(database, "PRAGMA journal_mode=WAL; CREATE TABLE a(b); INSERT INTO a VALUES(7)", NULL, NULL,
                     NULL) == SQLITE_OK,
        "disk: row written");
  sqlite3_close(database);
  int place = easel_disk_open_folder(folder), file = easel_disk_open_unnamed(place);
  check(place >= 0, "disk: folder");
  if (file < 0) {
    not_checked("disk: files without a name, which this file system does not offer");
  } else {
    check(write(file, "abc", 3) == 3 && easel_disk_name(file, place, "body") == 0, "disk: file named");
    int named = easel_disk_open_below(place, "body", O_RDONLY, 0);
    check(named >= 0, "disk: named file opened");
    close(named);
    close(file);
  }
  int step = easel_disk_open_step_by_step(place, "index", O_RDONLY, 0);
  check(step >= 0, "disk: opened step by step");
  close(step);
  close(place);
  int served = easel_open_folder(folder), beneath = easel_open_beneath(served, "index");
  if (beneath < 0 && easel_open_beneath(served, "none") < 0) {
    check(access(path, R_OK) == 0, "service: file is there");
    not_checked("service: openat2, which this system or emulator does not offer");
  } else {
    check(beneath >= 0 && easel_open_beneath(served, "../none") < 0, "service: file beneath a folder");
  }
  close(beneath);
  close(served);
}

// ---- Transfers

static size_t pack(const uint8_t *bytes, size_t count, uint8_t *packed, size_t room) {
  z_stream stream = {0};
  check(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK, "transfers: packing");
  stream.next_in = (Bytef *)bytes, stream.avail_in = (uInt)count;
  stream.next_out = packed, stream.avail_out = (uInt)room;
  check(deflate(&stream, Z_FINISH) == Z_STREAM_END, "transfers: packed");
  size_t packed_count = room - stream.avail_out;
  deflateEnd(&stream);
  return packed_count;
}

// A frame of zstd with nine null bytes, which comes byte by byte.
static void check_zstd(void) {
  const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 0x50, 9 << 3 | 3, 0, 0, 0};
  uint8_t unpacked[20] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  size_t room = sizeof unpacked;
  easel_unpacker *unpacker = easel_unpacker_create(easel_packing_zstd);
  for (size_t i = 0; i < sizeof frame; i++) {
    check(!easel_unpacker_is_complete(unpacker), "transfers: zstd is not complete");
    const uint8_t *from = frame + i;
    size_t count = 1;
    enum easel_unpacking result =
        easel_unpacker_step(unpacker, &from, &count, unpacked + sizeof unpacked - room, &room);
    check(result == easel_unpacking_hungry && count == 0, "transfers: zstd comes in pieces");
  }
  check(easel_unpacker_is_complete(unpacker) && room == sizeof unpacked - 9, "transfers: zstd is complete");
  for (size_t i = 0; i < 9; i++) check(unpacked[i] == 0, "transfers: zstd is unpacked");
  easel_unpacker_destroy(unpacker);
}

static void check_unpacking(void) {
  uint8_t bytes[5000], packed[8000], unpacked[5000];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * i >> 5);
  size_t packed_count = pack(bytes, sizeof bytes, packed, sizeof packed), done = 0;
  easel_unpacker *unpacker = easel_unpacker_create(easel_packing_gzip);
  const uint8_t *from = packed;
  while (done < sizeof unpacked) {
    size_t room = sizeof unpacked - done < 100 ? sizeof unpacked - done : 100, before = room;
    if (easel_unpacker_step(unpacker, &from, &packed_count, unpacked + done, &room) == easel_unpacking_broken) break;
    if (room == before) break;
    done += before - room;
  }
  check(done == sizeof bytes && !memcmp(bytes, unpacked, done), "transfers: unpacked");
  easel_unpacker_destroy(unpacker);
  check_zstd();
}

// A value with bytes beyond ASCII, which are negative where char has a sign.
static void check_head(void) {
  const char *head = "HTTP/1.1 200 OK\r\nETag: \"\xC3\xA9\xFF\" \r\n";
  size_t place = 0;
  easel_field field;
  check(easel_head_status(head, strlen(head), &place) == 200, "transfers: status");
  check(easel_head_next(head, strlen(head), &place, &field), "transfers: field");
  check(field.value_count == 5 && !memcmp(field.value, "\"\xC3\xA9\xFF\"", 5), "transfers: its value");
  char origin[100];
  check(easel_url_origin("HTTP://Example.com:80/a?b", origin, sizeof origin) && !strcmp(origin, "http://example.com:80"),
        "transfers: origin");
  char *url = easel_url_resolve("http://a.example/b/c", "../d");
  check(url && !strcmp(url, "http://a.example/d"), "transfers: redirect");
  easel_url_free(url);
}

// A transfer to a port at which nobody listens passes through the loop and fails.
static void check_loop(void) {
  check(easel_curl_prepare() == CURLE_OK, "transfers: curl");
  int wakeup = easel_wakeup_open();
  easel_loop *loop = easel_loop_create(wakeup, 4);
  check(loop, "transfers: loop");
  CURL *easy = curl_easy_init(), *done = NULL;
  easel_easy_set_text(easy, CURLOPT_URL, "http://127.0.0.1:1/");
  easel_easy_set_number(easy, CURLOPT_TIMEOUT_MS, 5000);
  easel_easy_set_number(easy, CURLOPT_NOSIGNAL, 1);
  check(easel_loop_add(loop, easy) == CURLM_OK, "transfers: added");
  CURLcode result = CURLE_OK;
  for (int turn = 0; turn < 1000 && !easel_loop_next_done(loop, &done, &result); turn++) easel_loop_run(loop, 100);
  check(done == easy && result == CURLE_COULDNT_CONNECT, "transfers: refused connection");
  easel_loop_remove(loop, easy);
  curl_easy_cleanup(easy);
  easel_loop_destroy(loop);
  easel_wakeup_close(wakeup);
  not_checked("transfers: responses of servers");
}

static void check_poller(void) {
  int poller = easel_poller_open(), waker = easel_waker_open();
  const uint64_t key = 0x123456789ABCDEF0;
  easel_event events[4];
  check(poller >= 0 && easel_poller_add_waker(poller, waker, key) == 0, "listener: waker");
  check(easel_poller_wait(poller, events, 4, 0) == 0, "listener: silence");
  easel_waker_signal(waker);
  check(easel_poller_wait(poller, events, 4, 5000) == 1 && events[0].key == key, "listener: the key of an event");
  close(waker);
  close(poller);
}

// ---- Redis

// The outcome of a text that arrives in pieces of a byte.
static easel_redis_outcome read_slowly(const char *text, easel_redis_reply **reply) {
  easel_redis_reader *reader = easel_redis_reader_open(100, 10);
  easel_redis_outcome outcome = EASEL_REDIS_INCOMPLETE;
  for (const char *byte = text; *byte && outcome == EASEL_REDIS_INCOMPLETE; byte++) {
    outcome = easel_redis_reader_feed(reader, byte, 1);
    if (outcome == EASEL_REDIS_READ) outcome = easel_redis_reader_next(reader, reply);
  }
  easel_redis_reader_close(reader);
  return outcome;
}

static void check_redis(void) {
  easel_redis_reply *reply;
  check(read_slowly("*3\r\n$5\r\na\r\nbc\r\n:42\r\n*1\r\n$-1\r\n", &reply) == EASEL_REDIS_READ, "redis: an array");
  check(reply && reply->kind == EASEL_REDIS_ARRAY && reply->count == 3, "redis: its elements");
  check(reply && reply->elements[0]->count == 5 && memcmp(reply->elements[0]->bytes, "a\r\nbc", 5) == 0, "redis: its bytes");
  check(reply && reply->elements[1]->kind == EASEL_REDIS_INTEGER && reply->elements[1]->number == 42, "redis: a number");
  check(reply && reply->elements[2]->elements[0]->kind == EASEL_REDIS_NULL, "redis: nothing");
  easel_redis_reply_free(reply);
  check(read_slowly("-ERR no\r\n", &reply) == EASEL_REDIS_READ && reply->kind == EASEL_REDIS_ERROR, "redis: an error");
  easel_redis_reply_free(reply);
  check(read_slowly("+OK\r\n", &reply) == EASEL_REDIS_READ && reply->kind == EASEL_REDIS_STATUS, "redis: a status");
  easel_redis_reply_free(reply);

  const struct {
    const char *text;
    easel_redis_outcome outcome;
  } bad[] = {
    {"$101\r\n", EASEL_REDIS_TOO_LARGE},
    {"$600000000\r\n", EASEL_REDIS_TOO_LARGE},
    {"*11\r\n", EASEL_REDIS_TOO_LARGE},
    {"*2\r\n*10\r\n", EASEL_REDIS_TOO_LARGE},
    {"*4294967295\r\n", EASEL_REDIS_TOO_LARGE},
    {"$x\r\n", EASEL_REDIS_MALFORMED},
    {"*-7\r\n", EASEL_REDIS_MALFORMED},
    {"?\r\n", EASEL_REDIS_MALFORMED},
    // Values of RESP3, which nobody asked for.
    {"#t\r\n", EASEL_REDIS_MALFORMED},
    {",1.5\r\n", EASEL_REDIS_MALFORMED},
    {"*2\r\n:1\r\n,1.5\r\n", EASEL_REDIS_MALFORMED},
    {"%1\r\n+a\r\n:1\r\n", EASEL_REDIS_MALFORMED},
    {"~1\r\n:1\r\n", EASEL_REDIS_MALFORMED},
    {">1\r\n:1\r\n", EASEL_REDIS_MALFORMED},
    {"(123456789012345678901234567890\r\n", EASEL_REDIS_MALFORMED},
    {"=7\r\ntxt:abc\r\n", EASEL_REDIS_MALFORMED},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char name[80];
    snprintf(name, sizeof name, "redis: %.40s", bad[i].text);
    easel_redis_outcome outcome = read_slowly(bad[i].text, &reply);
    // Versions differ in which counts they refuse themselves.
    bool is_count = bad[i].text[0] == '*';
    check(outcome == bad[i].outcome || (is_count && outcome >= EASEL_REDIS_MALFORMED), name);
  }
}

void check_others(void) {
  char folder[] = "/tmp/easel-checks-XXXXXX";
  check(mkdtemp(folder), "a folder");
  check_color();
  check_disk(folder);
  check_unpacking();
  check_head();
  check_loop();
  check_poller();
  check_redis();
  check(easel_memory_processor() >= 0, "memory: number of the processor");
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", folder);
  if (system(command)) not_checked("the folder of the checks, which could not be removed");
}
