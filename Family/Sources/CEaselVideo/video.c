#define _GNU_SOURCE
#if !__has_include(<libavformat/avformat.h>)
#error "Install libavformat-dev, libavcodec-dev and libswscale-dev (Debian, Ubuntu) or ffmpeg-free-devel (Fedora)"
#endif
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libswscale/swscale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CEaselVideo.h"
#include "input.h"

struct easel_video {
  easel_video_input input;
  AVFormatContext *format;
  AVStream *stream;
  AVCodecContext *decoder;
  AVPacket *packet;
  AVFrame *frame;
  bool is_drained;
  bool has_frame;
};

// The containers that are read. Others include playlists and pictures, which refer to other files.
static const char containers[] = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,flv,ogg,asf";

static easel_video_status status_of(int error, char message[EASEL_VIDEO_MESSAGE_BYTES]) {
  if (error >= 0) return EASEL_VIDEO_OK;
  if (message) av_strerror(error, message, EASEL_VIDEO_MESSAGE_BYTES);
  if (error == AVERROR(ENOMEM)) return EASEL_VIDEO_NO_MEMORY;
  if (error == AVERROR_EOF) return EASEL_VIDEO_END;
  bool is_unknown = error == AVERROR_STREAM_NOT_FOUND || error == AVERROR_DECODER_NOT_FOUND ||
                    error == AVERROR_DEMUXER_NOT_FOUND || error == AVERROR_PATCHWELCOME;
  return is_unknown ? EASEL_VIDEO_UNKNOWN : EASEL_VIDEO_BAD_DATA;
}

// MARK: Opening

static int open_decoder(easel_video *video, const AVCodec *codec, int64_t most_pixels) {
  video->decoder = avcodec_alloc_context3(codec);
  video->packet = av_packet_alloc();
  video->frame = av_frame_alloc();
  if (!video->decoder || !video->packet || !video->frame) return AVERROR(ENOMEM);
  int error = avcodec_parameters_to_context(video->decoder, video->stream->codecpar);
  if (error < 0) return error;
  // A process of a sandbox has one thread.
  video->decoder->thread_count = 1;
  video->decoder->max_pixels = most_pixels;
  video->decoder->pkt_timebase = video->stream->time_base;
  return avcodec_open2(video->decoder, codec, NULL);
}

static int open_film(easel_video *video, int64_t most_pixels) {
  video->format = easel_video_input_context(&video->input);
  if (!video->format) return AVERROR(ENOMEM);
  AVDictionary *options = NULL;
  av_dict_set(&options, "format_whitelist", containers, 0);
  av_dict_set(&options, "protocol_whitelist", "", 0);
  AVIOContext *io = video->format->pb;
  int error = avformat_open_input(&video->format, NULL, NULL, &options);
  av_dict_free(&options);
  if (error < 0) {
    // The context is gone, and what it read from is not.
    av_freep(&io->buffer);
    avio_context_free(&io);
    return error;
  }
  if ((error = avformat_find_stream_info(video->format, NULL)) < 0) return error;
  const AVCodec *codec = NULL;
  int index = av_find_best_stream(video->format, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
  if (index < 0) return index;
  video->stream = video->format->streams[index];
  for (unsigned i = 0; i < video->format->nb_streams; i++) {
    if ((int)i != index) video->format->streams[i]->discard = AVDISCARD_ALL;
  }
  return open_decoder(video, codec, most_pixels);
}

easel_video_status easel_video_open(
  const uint8_t *bytes, size_t count, int64_t most_pixels, easel_video **video,
  char message[EASEL_VIDEO_MESSAGE_BYTES]) {
  av_log_set_level(AV_LOG_QUIET);
  *video = calloc(1, sizeof **video);
  if (!*video) return EASEL_VIDEO_NO_MEMORY;
  (*video)->input = (easel_video_input){.bytes = bytes, .count = count};
  easel_video_status status = status_of(open_film(*video, most_pixels), message);
  // A file that ends before its header is damaged.
  if (status == EASEL_VIDEO_END) status = EASEL_VIDEO_BAD_DATA;
  if (status == EASEL_VIDEO_OK && ((*video)->decoder->width <= 0 || (*video)->decoder->height <= 0)) {
    snprintf(message, EASEL_VIDEO_MESSAGE_BYTES, "its pictures have no size");
    status = EASEL_VIDEO_BAD_DATA;
  }
  if (status != EASEL_VIDEO_OK) {
    easel_video_close(*video);
    *video = NULL;
  }
  return status;
}

void easel_video_close(easel_video *video) {
  if (!video) return;
  av_frame_free(&video->frame);
  av_packet_free(&video->packet);
  avcodec_free_context(&video->decoder);
  easel_video_input_close(&video->format);
  free(video);
}

// MARK: Facts

static int turn_of(const AVStream *stream) {
  const int32_t *matrix = (const int32_t *)av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, NULL);
  double angle = matrix ? av_display_rotation_get(matrix) : 0;
  if (!isfinite(angle)) return 0;
  int quarters = (int)lround(-angle / 90) % 4;
  return 90 * (quarters < 0 ? quarters + 4 : quarters);
}

easel_video_facts easel_video_facts_of(const easel_video *video) {
  AVRational ratio = av_guess_sample_aspect_ratio(video->format, video->stream, NULL);
  easel_video_facts facts = {
    .width = video->decoder->width, .height = video->decoder->height, .turn = turn_of(video->stream), .pixel_ratio = 1};
  if (ratio.num > 0 && ratio.den > 0) facts.pixel_ratio = av_q2d(ratio);
  if (video->format->duration > 0) facts.seconds = (double)video->format->duration / AV_TIME_BASE;
  for (unsigned i = 0; i < video->format->nb_streams; i++) {
    if (video->format->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO) facts.has_sound = true;
  }
  snprintf(facts.container, sizeof facts.container, "%s", video->format->iformat->name);
  snprintf(facts.coding, sizeof facts.coding, "%s", avcodec_get_name(video->decoder->codec_id));
  return facts;
}

// MARK: Frames

static int64_t start_of(const easel_video *video) {
  return video->stream->start_time == AV_NOPTS_VALUE ? 0 : video->stream->start_time;
}

// True for containers without an index, in which a search by time may end behind the first frame.
static bool has_no_index(const easel_video *video) { return strncmp(video->format->iformat->name, "mpeg", 4) == 0; }

easel_video_status easel_video_seek(easel_video *video, double seconds) {
  double ticks = seconds / av_q2d(video->stream->time_base);
  if (!(fabs(ticks) < 1e15)) return EASEL_VIDEO_BAD_DATA;
  int64_t time = start_of(video) + (int64_t)ticks;
  int error = seconds <= 0 && has_no_index(video)
                ? av_seek_frame(video->format, -1, 0, AVSEEK_FLAG_BYTE)
                : av_seek_frame(video->format, video->stream->index, time, AVSEEK_FLAG_BACKWARD);
  if (error < 0) return EASEL_VIDEO_BAD_DATA;
  avcodec_flush_buffers(video->decoder);
  video->is_drained = video->has_frame = false;
  return EASEL_VIDEO_OK;
}

// Gives the decoder one more packet, or the end of the film.
static int feed(easel_video *video) {
  for (;;) {
    int error = av_read_frame(video->format, video->packet);
    if (error < 0) {
      if (video->is_drained) return AVERROR_EOF;
      video->is_drained = true;
      return avcodec_send_packet(video->decoder, NULL);
    }
    bool is_wanted = video->packet->stream_index == video->stream->index;
    if (is_wanted) error = avcodec_send_packet(video->decoder, video->packet);
    av_packet_unref(video->packet);
    if (!is_wanted) continue;
    // A damaged packet is passed over, as players do.
    return error == AVERROR_INVALIDDATA ? 0 : error;
  }
}

easel_video_status easel_video_advance(easel_video *video) {
  video->has_frame = false;
  for (;;) {
    int error = avcodec_receive_frame(video->decoder, video->frame);
    if (error == AVERROR(EAGAIN)) error = feed(video);
    else if (error == 0) {
      video->has_frame = video->frame->width > 0 && video->frame->height > 0;
      return video->has_frame ? EASEL_VIDEO_OK : EASEL_VIDEO_BAD_DATA;
    }
    if (error < 0 && error != AVERROR_INVALIDDATA) return status_of(error, NULL);
  }
}

double easel_video_time(const easel_video *video) {
  int64_t time = video->frame->best_effort_timestamp;
  if (time == AV_NOPTS_VALUE) return 0;
  return (double)(time - start_of(video)) * av_q2d(video->stream->time_base);
}

// MARK: Pixels

static easel_video_status scale(
  const AVFrame *frame, enum AVPixelFormat format, uint8_t *pixels, size_t stride, int columns, int rows) {
  struct SwsContext *context = sws_getContext(
    frame->width, frame->height, frame->format, columns, rows, format,
    SWS_AREA | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP, NULL, NULL, NULL);
  if (!context) return EASEL_VIDEO_UNKNOWN;
  // Without a statement, small pictures have the colours of BT.601, and large ones those of BT.709.
  int space = frame->colorspace == AVCOL_SPC_UNSPECIFIED ? (frame->height >= 720 ? SWS_CS_ITU709 : SWS_CS_ITU601)
                                                         : (int)frame->colorspace;
  bool is_full = frame->color_range == AVCOL_RANGE_JPEG || frame->format == AV_PIX_FMT_YUVJ420P ||
                 frame->format == AV_PIX_FMT_YUVJ422P || frame->format == AV_PIX_FMT_YUVJ444P;
  sws_setColorspaceDetails(
    context, sws_getCoefficients(space), is_full, sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16);
  uint8_t *planes[4] = {pixels, NULL, NULL, NULL};
  int strides[4] = {(int)stride, 0, 0, 0};
  int made = sws_scale(context, (const uint8_t *const *)frame->data, frame->linesize, 0, frame->height, planes, strides);
  sws_freeContext(context);
  return made == rows ? EASEL_VIDEO_OK : EASEL_VIDEO_BAD_DATA;
}

easel_video_status easel_video_draw(easel_video *video, uint8_t *pixels, size_t stride, int columns, int rows) {
  if (!video->has_frame) return EASEL_VIDEO_END;
  easel_video_status status = scale(video->frame, AV_PIX_FMT_RGBA, pixels, stride, columns, rows);
  for (int row = 0; row < rows; row++) {
    for (int column = 0; column < columns; column++) pixels[(size_t)row * stride + 4 * (size_t)column + 3] = 255;
  }
  return status;
}

easel_video_status easel_video_look(easel_video *video, easel_video_looks *looks) {
  enum { COLUMNS = 96, ROWS = 54 };
  if (!video->has_frame) return EASEL_VIDEO_END;
  static uint8_t gray[(COLUMNS + 32) * ROWS];
  const size_t stride = COLUMNS + 32;
  easel_video_status status = scale(video->frame, AV_PIX_FMT_GRAY8, gray, stride, COLUMNS, ROWS);
  if (status != EASEL_VIDEO_OK) return status;
  double sum = 0, squares = 0, steps = 0;
  for (size_t row = 0; row < ROWS; row++) {
    for (size_t column = 0; column < COLUMNS; column++) {
      double value = gray[row * stride + column];
      sum += value;
      squares += value * value;
      if (column > 0) steps += fabs(value - gray[row * stride + column - 1]);
    }
  }
  double count = COLUMNS * ROWS, mean = sum / count;
  *looks = (easel_video_looks){
    .mean = mean, .deviation = sqrt(fmax(0, squares / count - mean * mean)),
    .sharpness = steps / (count - ROWS)};
  return EASEL_VIDEO_OK;
}
