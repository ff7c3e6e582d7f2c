import Easel
import EaselService

/// The settings of addresses, signatures, sources and caches.
extension ServeTable {
  static let addresses: [ServeSetting] = [
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

  static let signatures: [ServeSetting] = [
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

  static let sources: [ServeSetting] = [
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

  static let caches: [ServeSetting] = [
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
  static var shared: ServeSetting {
    var setting = ServeSetting.many(.caches, .restart, SharedOptions.shared, \.given.shared)
    setting.shown = SharedAddress.shown
    return setting
  }
}
