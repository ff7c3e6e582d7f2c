import Easel
import EaselService

/// The settings of results, of how they are encoded and how long they are fresh.
extension ServeTable {
  static let encoding: [ServeSetting] = [
    .flag(
      .results, .live, "jpeg-progressive", "Write JPEGs that appear from coarse to fine.",
      \.encoding.isJPEGProgressive),
    .flag(
      .results, .live, "jpeg-no-subsample", "Write JPEGs with the full resolution of colour.",
      \.encoding.hasFullJPEGColor),
    .optional(
      .results, .live,
      .integer(
        "jpeg-effort", "N", in: 1...3,
        "The effort with which JPEGs are written: 1 is the fastest, 2 the default, 3 makes the smallest files."),
      \.encoding.jpegEffort),
    .one(
      .results, .live,
      .choice(
        "webp-compression", "HOW", "Write WebPs lossy, or lossless; near_lossless is lossless here."),
      \.encoding.webpCompression, default: "lossy"),
    .optional(
      .results, .live,
      .integer(
        "webp-effort", "N", in: 0...6, "The effort with which lossy WebPs are written. The encoder's own is 4."),
      \.encoding.webpEffort),
    .optional(
      .results, .live,
      .integer(
        "avif-speed", "N", in: 0...10,
        "The speed at which AVIFs are written: the slower, the smaller. The encoder's own is 8."),
      \.encoding.avifSpeed),
    .one(
      .results, .live,
      .choice(
        "avif-subsample", "ANSWER",
        "The resolution of colour in AVIFs: on for a quarter, off for all of it, auto for the encoder's own."),
      \.encoding.avifSubsampling, default: "auto"),
    .optional(
      .results, .live,
      .integer(
        "jxl-effort", "N", in: 1...9, "The effort with which JPEG XLs are written. The encoder's own is 4."),
      \.encoding.jxlEffort),
  ]

  static let results: [ServeSetting] = [
    .many(
      .results, .live,
      .reading(
        "preset", "NAME=OPTIONS", "a name and options such as small=rs:fit:320:320/q:70",
        "Options that a URL names with preset. The preset default is part of every URL."
      ) { ServePreset($0) },
      \.presets),
    .optional(
      .results, .live, file("presets-file", "FILE", "Read presets from a file, one NAME=OPTIONS per line."),
      \.given.presetsFile),
    .flag(.results, .live, "only-presets", "Refuse all options but presets.", \.onlyPresets),
    .optional(
      .results, .live,
      .reading(
        "allowed-options", "NAMES", "names of options between commas", "Refuse all options but these."
      ) {
        ServeReading.names($0)
      }, \.allowedOptions),
    .optional(
      .results, .live,
      .reading(
        "allowed-widths", "LIST", "whole numbers between commas such as 320,640,1280",
        "Refuse other widths in URLs of Next.js, and other widths and heights in those of Cloudflare. Without a list, "
          + "Next.js's own are allowed in its URLs, and all in those of Cloudflare."
      ) { ServeReading.numbers($0, 1...100_000) }, \.allowedWidths),
    .optional(
      .results, .live,
      .reading(
        "allowed-qualities", "LIST", "whole numbers from 1 to 100 between commas such as 50,75",
        "Refuse other qualities in URLs of Next.js and of Cloudflare. Without a list, 75 is allowed in those of Next.js, "
          + "and all in those of Cloudflare."
      ) { ServeReading.numbers($0, 1...100) }, \.allowedQualities),
    .one(
      .results, .live,
      .reading(
        "quality", "Q", "a number from 0 to 1, or from 2 to 100",
        "The quality of lossy formats where a URL states none. It looks equally good in all of them. An original that need "
          + "not change keeps its own."
      ) {
        ServeReading.quality($0)
      }, \.quality, default: "80"),
    .one(
      .results, .live,
      .reading(
        "format-quality", "LIST", "formats and qualities such as jpeg:80,webp:75",
        "The qualities of some formats."
      ) { ServeReading.qualities($0) }, \.formatQualities),
    .one(
      .results, .live,
      .reading(
        "quality-scale", "SCALE", "one of looks, library",
        "The meaning of qualities, also of those in URLs: looks is equally good in all formats, namely as good as a JPEG of "
          + "this quality, and library is the number that the library of the format takes.",
        completion: .words(QualityScale.allCases.map(\.rawValue))
      ) { QualityScale(rawValue: $0) }, \.qualityScale, default: "looks"),
    .one(
      .results, .live,
      .reading(
        "formats", "LIST", "names of formats between commas such as avif,webp, or none",
        "Choose among these formats, the best first, by what the client accepts. Without a list, JPEG, PNG, GIF and "
          + "WebP stay what they are unless the URL names a format. Others become a JPEG, or a PNG if they are "
          + "transparent or move."
      ) { ServeReading.formats($0) }, \.negotiatedFormats, default: "none"),
    .one(
      .results, .live,
      pixels("avif-pixels", "Choose AVIF by what the client accepts only for pictures with at most so many pixels."),
      \.avif.mostPixels, default: "4M"),
    .one(
      .results, .live,
      pixels(
        "avif-wait-pixels",
        "Let the client wait for an AVIF of at most so many pixels. For a larger one, the next format that it accepts "
          + "goes out, and the AVIF is made for those who come later."),
      \.avif.mostAwaitedPixels, default: "150k"),
    .one(
      .results, .live,
      .integer(
        "avif-meanwhile", "SECONDS", in: 0...86_400,
        "The seconds for which clients keep the other format while the AVIF is made."),
      \.avif.secondsMeanwhile, default: "60"),
    .one(
      .results, .live,
      .reading(
        "fidelity", "HOW", CommonOptions.fidelity.description.expectation,
        "The care with which pictures become smaller where a URL states none: fast averages the numbers of their colours, "
          + "faithful the light of several times the pixels, and exact the light of all pixels.",
        completion: .words(Fidelity.allCases.map(\.name))
      ) { Fidelity(named: $0) }, \.fidelity, default: "faithful"),
    .one(
      .results, .live, .integer("max-result-side", "N", in: 1...65_535, "Refuse to make pictures with a longer side."),
      \.resultSide, default: "16384"),
    .flag(
      .results, .live, "reduce-results",
      "Make pictures smaller that would have a longer side than max-result-side, in place of refusing them.",
      \.reducesResults),
    .one(
      .results, .live, pixels("max-result-pixels", "Refuse to make pictures with more pixels."), \.resultPixels,
      default: "100M"),
    .flag(
      .results, .live, "client-hints", "Follow the width and the pixel ratio that browsers tell.", \.usesClientHints),
    .one(
      .results, .live,
      .choice(
        "damaged", "POLICY",
        "Refuse all damaged pictures, show those that have the whole of their pixels, or show what there is of others "
          + "too, which is kept for a minute."),
      \.damaged, default: "whole"),
    .flag(.results, .live, "keep-metadata", "Keep EXIF and XMP unless a URL says otherwise.", \.keepsMetadata),
    .optional(
      .results, .live,
      file("fallback-image", "SOURCE", "A file or an address of a picture that is sent if another cannot be had."),
      \.fallbackImage),
    .one(
      .results, .live,
      .integer("fallback-status", "N", in: 200...599, "The status with which the fallback picture is sent."),
      \.fallbackStatus, default: "200"),
    .optional(
      .results, .live,
      file("watermark-image", "SOURCE", "A file or an address of the watermark for URLs that ask for one."),
      \.watermarkImage),
  ]

  static let freshness: [ServeSetting] = [
    .one(.freshness, .live, .time("ttl", "The time for which pictures may be kept."), \.timeToLive, default: "365d"),
    .one(
      .freshness, .live,
      .time("stale-while-revalidate", "The time after that in which an old picture may be sent meanwhile."),
      \.staleWhileRevalidate, default: "1d"),
    .one(
      .freshness, .live,
      .time("stale-if-error", "The time after that in which an old picture may be sent if its source fails."),
      \.staleIfError, default: "7d"),
    .one(
      .freshness, .live, .time("fallback-ttl", "The time for which clients may keep the fallback picture."),
      \.fallbackTimeToLive,
      default: "60"),
    .flag(
      .freshness, .live, "follow-origin-freshness", "Keep pictures no longer than their sources say.",
      \.followsOriginFreshness
    ),
    .flag(
      .freshness, .live, "canonical-link", "Send the address of the original in a Link field.", \.sendsCanonicalLink),
  ]
}
