import Easel
import EaselService

/// All settings of `easel serve`.
enum ServeTable {
  static let settings: [ServeSetting] =
    addresses + signatures + sources + caches + results + encoding + freshness + load + watching

  /// The file with further settings; it can be named on the command line and in the environment only.
  static let config = Option<String>.text(
    "config", "FILE",
    "Read settings from a file with lines such as 'cache-size = 2G'. Options and variables come before it.",
    completion: .files)
  static let configVariable = "EASEL_CONFIG"
  static let check = Option<Bool>.flag("check", "Read the settings, print them without secrets, and stop.")

  /// The options of the command, for the parser, help, completions and the manual.
  static var options: [OptionDescription] {
    settings.map(\.description) + [config.description, check.description, CommonOptions.noProgress.description]
  }

  /// Explains the other ways to give settings.
  static let details = [
    "Each option can also be given as an environment variable (--cache-size as EASEL_CACHE_SIZE), or as a line of the "
      + "file of --config (cache-size = 2G). An option comes before a variable, a variable before the file. A setting "
      + "that may be repeated takes one value per line in the file, and values between blanks in a variable; the values "
      + "of one place replace those of the next.",
    "SIGHUP reads the settings anew. " + restarting.joined(separator: ", ") + " keep their values until a restart.",
    "Others on the machine can see options. Give keys in a file that only the server can read.",
  ]

  /// The names of the settings that SIGHUP does not change.
  static var restarting: [String] { settings.filter { $0.change == .restart }.map(\.name) }

  private static let address =
    "an address such as 127.0.0.1:8080, :8080 for all addresses, [::1]:8080, or the path of a Unix socket"

  private static func address(_ name: String, _ help: String) -> Option<ServeAddress> {
    .reading(name, "ADDRESS", name == "listen" ? address + ", or systemd for the sockets it passes" : address, help) {
      guard let address = ServeAddress($0) else { return nil }
      return name != "listen" && address == .systemd ? nil : address
    }
  }

  private static func pixels(_ name: String, _ help: String) -> Option<Int> {
    let bytes = Option<Int>.bytes(name, help)
    return .reading(name, "PIXELS", "a number of pixels such as 500000, 500k or 50M", help) {
      bytes.read($0).flatMap { (1...1_000_000_000_000).contains($0) ? $0 : nil }
    }
  }

  /// A number of bytes that is not zero.
  private static func bytes(_ name: String, _ help: String) -> Option<Int> {
    let option = Option<Int>.bytes(name, help)
    return Option(option.description) { option.read($0).flatMap { $0 > 0 ? $0 : nil } }
  }

  private static func file(_ name: String, _ placeholder: String, _ help: String) -> Option<String> {
    .text(name, placeholder, help, completion: placeholder == "DIR" ? .directories : .files)
  }

  private static func secret(_ name: String, _ placeholder: String, _ help: String) -> Option<Secret> {
    .reading(name, placeholder, "a text that is not empty", help) { $0.isEmpty ? nil : Secret(text: $0) }
  }

  /// A time of more than zero.
  private static func limit(_ name: String, _ help: String) -> Option<Duration> {
    let option = Option<Duration>.time(name, help)
    return Option(option.description) { option.read($0).flatMap { $0 > .zero ? $0 : nil } }
  }

  private static let addresses: [ServeSetting] = [
    .many(
      .addresses, .restart, address("listen", "Wait for requests at this address."), \.listen, default: "127.0.0.1:8080"
    ),
    .optional(
      .addresses, .restart, address("metrics", "Answer requests for metrics, and requests to purge, at this address."),
      \.metrics),
    .one(
      .addresses, .live,
      .reading("path-prefix", "PATH", "a path such as /pictures", "The beginning of all paths.") {
        ServeReading.path($0)
      }, \.pathPrefix),
    .many(
      .addresses, .live,
      .reading(
        "trusted-proxy", "RANGE", "an address or a range such as 10.0.0.0/8",
        "Believe the X-Forwarded-For of proxies with these addresses."
      ) { AddressRange($0) }, \.trustedProxies),
    .optional(
      .addresses, .live,
      .reading(
        "access-control-allow-origin", "ORIGIN", "* or an origin such as https://example.com",
        "Send this as Access-Control-Allow-Origin."
      ) { text in
        text == "*" || (text.contains("://") && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }) ? text : nil
      }, \.allowedOrigin),
    .optional(
      .addresses, .live,
      .reading(
        "public-origin", "ORIGIN", "a scheme and a host such as https://img.example.com",
        "Name this origin in documents that state their own address, such as info.json of IIIF. Without it, they name the "
          + "Host of the request."
      ) { text in
        let host = ["http://", "https://"].first { text.hasPrefix($0) }.map { text.dropFirst($0.count) } ?? ""
        return !host.isEmpty && host.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"/?#\"<>".utf8.contains($0) }
          ? text : nil
      }, \.publicOrigin),
  ]

  private static let signatures: [ServeSetting] = [
    .many(
      .signatures, .live,
      secret("key", "KEY", "A key for signatures: hexadecimal, or a text for thumbor's URLs. Use --key-file instead."),
      \.given.keys, isSecret: true),
    .many(
      .signatures, .live,
      secret("salt", "SALT", "The salt of the key of the same position, hexadecimal; - for none."), \.given.salts,
      isSecret: true),
    .optional(
      .signatures, .live,
      file("key-file", "FILE", "Read keys from a file: a key and its salt per line, between them a blank."),
      \.given.keyFile),
    .one(
      .signatures, .live,
      .integer("signature-size", "BYTES", in: 8...32, "The bytes of a signature, if they are cut."), \.signatureSize,
      default: "32"),
    .flag(
      .signatures, .live, "unsafe", "Serve URLs without signatures. Then anybody can make the server work.", \.isUnsafe),
    .optional(
      .signatures, .live,
      secret(
        "source-key", "KEY",
        "The key of encrypted sources (/enc/): 32, 48 or 64 hexadecimal digits. Give it as EASEL_SOURCE_KEY or in a file."
      ),
      \.given.sourceKey, isSecret: true),
    .many(
      .signatures, .live,
      .reading(
        "urls", "FORM", ServedURLs.expectation,
        "Serve URLs of this form: at the prefix that stands before it and an equals sign, or at that of the form, which is "
          + "/cdn-cgi/image of cloudflare, /_next/image of next, /iiif, /deepzoom, and none of imgproxy and thumbor.",
        completion: .words(ServedURLs.Form.allCases.map(\.rawValue))
      ) { ServedURLs($0) }, \.urls, default: "imgproxy"),
  ]

  private static let sources: [ServeSetting] = [
    .optional(.sources, .live, file("local", "DIR", "Serve pictures of this directory as local:///PATH."), \.folder),
    .many(
      .sources, .live,
      .reading(
        "allow-source", "PATTERN", "a pattern such as https://*.example.com/pictures",
        "Load pictures only from sources that match a pattern. Without patterns, all of http and https may be loaded."
      ) {
        text in
        let scheme = text.prefix { $0 != ":" }.lowercased()
        let rest = text.dropFirst(scheme.count)
        return ["http", "https"].contains(scheme) && rest.hasPrefix("://") && rest.count > 3
          && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? text : nil
      }, \.allowedSources),
    .optional(
      .sources, .live,
      file("sources-file", "FILE", "Read from a file how to load from buckets, containers, folders and hosts."),
      \.given.sourcesFile),
    .flag(
      .sources, .live, "allow-private", "Load pictures from private, loopback and link-local addresses too.",
      \.allowsPrivateAddresses),
    .one(
      .sources, .live, bytes("max-source-bytes", "Refuse originals with more bytes."), \.sourceBytes, default: "100M"),
    .one(
      .sources, .live, pixels("max-source-pixels", "Refuse originals with more pixels in a frame."), \.sourcePixels,
      default: "100M"),
    .one(.sources, .live, SandboxOptions.sandbox, \.sandbox.scope, default: "all"),
    .flag(
      .sources, .live, SandboxOptions.bestEffort.description.name, SandboxOptions.bestEffort.description.help,
      \.sandbox.isBestEffort),
    .one(.sources, .live, SandboxOptions.reuse, \.sandbox.picturesPerProcess, default: "1"),
  ]

  private static let caches: [ServeSetting] = [
    .optional(
      .caches, .restart,
      file("cache", "DIR", "Keep pictures in this directory. Without it, they are kept in memory only."), \.cacheFolder),
    .one(.caches, .live, bytes("cache-size", "The most bytes of the cache on disk."), \.cacheBytes, default: "10G"),
    .one(
      .caches, .live, bytes("memory-size", "The most bytes of the cache in memory."), \.memoryBytes, default: "256M"),
    .one(
      .caches, .restart,
      .reading(
        "memory-limit", "BYTES", "a number of bytes such as 512M, auto or none",
        "The memory that the server may use. From it follow, unless they are given, memory-size, workers, "
          + "max-source-pixels and max-result-pixels. auto is the limit of the container."
      ) { MemoryLimit($0) }, \.memoryLimit, default: "auto"),
    shared,
    .one(
      .caches, .restart,
      limit(
        "shared-timeout",
        "The longest wait for a result of the shared store or for its word on a claim, after which the picture is made "
          + "here. Originals get five times as long."),
      \.sharedTime, default: "0.1"),
    .one(
      .caches, .restart,
      limit(
        "purge-lease",
        "The time for which the server relies on what it knows of purges without hearing from its Redis and its cache "
          + "directory."), \.purgeLease, default: "1"),
    .one(
      .caches, .restart,
      .choice(
        "when-cut-off", "RULE",
        "Once the server hears of no purges any more, serve what its caches have and say so at /health, or load each "
          + "picture anew."), \.whenCutOff, default: "serve"),
  ]

  /// An address may hold a password, which is not printed.
  private static var shared: ServeSetting {
    var setting = ServeSetting.many(.caches, .restart, SharedOptions.shared, \.given.shared)
    setting.shown = SharedAddress.shown
    return setting
  }

  private static let encoding: [ServeSetting] = [
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

  private static let results: [ServeSetting] = [
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

  private static let freshness: [ServeSetting] = [
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

  private static let load: [ServeSetting] = [
    .optional(
      .load, .live,
      .integer(
        "workers", "N", in: 1...1024,
        "How many pictures are worked on at a time. The default is the number of processors."),
      \.workers),
    .optional(
      .load, .live,
      .integer(
        "avif-workers", "N", in: 1...1024, "How many of them may be encoded as AVIF. The default is half of them."),
      \.avifWorkers),
    .one(
      .load, .restart, .integer("threads", "N", in: 1...64, "How many threads read requests and send answers."),
      \.listener.threads, default: "1"),
    .one(
      .load, .live, limit("request-timeout", "The time in which a request must be answered."), \.requestTime,
      default: "30"),
    .one(
      .load, .live,
      limit(
        "decode-time",
        "The longest time for decoding a picture, for each change of it and for its encoding, at most half of "
          + "request-timeout. What takes longer is refused for a minute."),
      \.decodeTime, default: "10"),
    .one(
      .load, .live,
      limit(
        "patience",
        "Refuse at once what could not be made within this time because of other work, as estimated; serve all else."),
      \.patience, default: "10"),
    .optional(
      .load, .live, limit("queue-time", "The former name of patience."), \.given.queueTime),
    .one(
      .load, .live, .integer("queue-length", "N", in: 0...1_000_000, "How many pictures may wait."), \.queueLength,
      default: "1000"),
    .optional(
      .load, .live,
      .reading(
        "client-header", "NAME", "the name of a header field such as X-Client-ID",
        "Share the work evenly among the values of this field, which a proxy must set, and not among addresses."
      ) { ServeReading.fieldName($0) }, \.clientHeader),
    .optional(
      .load, .live,
      .integer(
        "client-rate", "N", in: 1...1_000_000,
        "How many requests a second one client may send, told by client-header or its address; more get 429."),
      \.clientRate),
    .optional(
      .load, .live,
      .integer(
        "client-burst", "N", in: 1...1_000_000,
        "How many of them it may send at once after a pause. The default is twice client-rate."), \.clientBurst),
    .one(
      .load, .live, .integer("connections", "N", in: 1...1_000_000, "How many connections may be open."),
      \.listener.connections, default: "8192"),
    .optional(
      .load, .live,
      .integer("connections-per-address", "N", in: 1...1_000_000, "How many of them may come from one address."),
      \.listener.connectionsPerAddress),
    .one(
      .load, .live, limit("idle-timeout", "The time for which a connection may wait for its next request."),
      \.listener.idleTime, default: "60"),
    .one(
      .load, .live,
      .time("drain-delay", "The time between saying at /ready that the server ends and refusing connections."),
      \.drainDelay, default: "5"),
    .one(
      .load, .live, .time("drain-time", "The time that requests get to end after that."), \.drainTime, default: "30"),
  ]

  private static let watching: [ServeSetting] = [
    .one(
      .watching, .live, .choice("log", "FORM", "Write a line for each request to standard error."), \.log,
      default: "text"),
    .one(
      .watching, .live,
      .choice(
        "log-level", "LEVEL",
        "Log all requests (info), those that failed (warning), or those in which the server or a source failed (error)."
      ), \.logLevel, default: "info"),
    .optional(
      .watching, .restart,
      .reading(
        "traces", "URL", "an http or https address such as http://127.0.0.1:4318",
        "Send traces to this collector, in the form of OTLP over HTTP with JSON; without a path to /v1/traces there."
      ) { ServeTraces.address($0) == nil ? nil : $0 }, \.traces),
    .one(
      .watching, .live,
      .number(
        "trace-ratio", "R", in: 0...1, "a number from 0 to 1",
        "The part of the requests that is traced. One whose traceparent says that it is recorded is traced always."),
      \.traceRatio, default: "0.01"),
    .flag(
      .watching, .live, "log-urls", "Log paths and sources too, without signatures, queries and credentials.",
      \.logsURLs),
    .flag(
      .watching, .live, "debug", "Send details of errors, and fields that tell how a picture was made.", \.showsDetails),
    .flag(.watching, .live, "playground", "Serve a page to try URLs out.", \.hasPlayground),
    .optional(
      .watching, .live,
      secret("playground-secret", "TEXT", "The secret that the page asks for. Use --playground-secret-file instead."),
      \.playgroundSecret, isSecret: true),
    .optional(
      .watching, .live,
      file("playground-secret-file", "FILE", "Read the secret of the page from the first line of a file."),
      \.given.playgroundSecretFile),
  ]
}
