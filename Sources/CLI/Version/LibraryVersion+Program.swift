import CEaselColor
import CEaselCurl
import CEaselDisk
import EaselFormats

extension LibraryVersion {
  /// The libraries of the program: for its formats, for colours, for transfers and for the disk cache.
  static var all: [LibraryVersion] {
    let others: [LibraryVersion?] = [
      LibraryVersion(name: "lcms2", version: lcms(easel_color_library_version())),
      LibraryVersion("curl", easel_curl_libcurl_version()),
      named(easel_curl_tls_version()),
      LibraryVersion("nghttp2", easel_curl_http2_version()),
      LibraryVersion("brotli", packed: easel_curl_brotli_version(), bits: 12),
      LibraryVersion("zstd", easel_curl_zstd_version()),
      LibraryVersion("SQLite", easel_disk_library_version()),
    ]
    return (FormatCards.program.all.flatMap { $0.libraries() } + others).compactMap { $0 }
  }

  /// The version in a text that begins with the name, such as `OpenSSL/3.0.15`.
  private static func named(_ text: UnsafePointer<CChar>?) -> LibraryVersion? {
    guard let text else { return nil }
    let parts = String(cString: text).split(separator: "/", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    return LibraryVersion(name: String(parts[0]), version: String(parts[1]))
  }

  /// The version of Little CMS as text: 2140 is 2.14, and 2141 is 2.14.1.
  static func lcms(_ number: Int32) -> String {
    let patch = number % 10
    return "\(number / 1000).\(number / 10 % 100)" + (patch == 0 ? "" : ".\(patch)")
  }
}
