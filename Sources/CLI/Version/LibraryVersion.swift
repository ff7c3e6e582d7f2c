import CEaselAVIF
import CEaselColor
import CEaselCurl
import CEaselDisk
import CEaselGIF
import CEaselHEIF
import CEaselJPEG
import CEaselJPEG2000
import CEaselJXL
import CEaselPNG
import CEaselSVG
import CEaselTIFF
import CEaselWebP
import Easel

/// A C library and the version that this process runs with.
struct LibraryVersion: Sendable {
  let name: String
  let version: String
  /// False for a library that does not tell its version; then it is the one that the program was built with.
  var isAsked = true

  static var all: [LibraryVersion] {
    let known: [LibraryVersion?] = [
      LibraryVersion("libdeflate", easel_png_libdeflate_version(), isAsked: false),
      LibraryVersion("zlib", easel_png_zlib_version()),
      LibraryVersion("libjpeg-turbo", easel_jpeg_library_version(), isAsked: false),
      LibraryVersion("giflib", easel_gif_library_version(), isAsked: false),
      LibraryVersion("libwebp", packed: easel_webp_library_version(), bits: 8),
      LibraryVersion("libavif", easel_avif_libavif_version()),
      LibraryVersion("dav1d", easel_avif_dav1d_version()),
      LibraryVersion("libde265", easel_heif_library_version()),
      LibraryVersion("libjxl", packed: easel_jxl_library_version(), bits: 8),
      LibraryVersion("OpenJPEG", easel_jpeg2000_library_version()),
      LibraryVersion("libtiff", easel_tiff_library_version()),
      LibraryVersion("librsvg", easel_svg_librsvg_version()),
      LibraryVersion("cairo", easel_svg_cairo_version()),
      LibraryVersion(name: "lcms2", version: lcms(easel_color_library_version())),
      LibraryVersion("curl", easel_curl_libcurl_version()),
      named(easel_curl_tls_version()),
      LibraryVersion("nghttp2", easel_curl_http2_version()),
      LibraryVersion("brotli", packed: easel_curl_brotli_version(), bits: 12),
      LibraryVersion("zstd", easel_curl_zstd_version()),
      LibraryVersion("SQLite", easel_disk_library_version()),
    ]
    return known.compactMap { $0 }
  }

  private init(name: String, version: String) {
    self.name = name
    self.version = version
  }

  /// Nil if the library is missing.
  private init?(_ name: String, _ text: UnsafePointer<CChar>?, isAsked: Bool = true) {
    guard let text else { return nil }
    self.name = name
    version = Self.number(in: String(cString: text))
    self.isAsked = isAsked
  }

  /// A number that has so many bits for minor and for patch.
  private init(_ name: String, packed number: UInt32, bits: UInt32) {
    let mask = UInt32(1) << bits - 1
    self.init(name: name, version: "\(number >> (2 * bits)).\(number >> bits & mask).\(number & mask)")
  }

  /// A text with the name in front, such as `OpenSSL/3.0.15`.
  private static func named(_ text: UnsafePointer<CChar>?) -> LibraryVersion? {
    guard let text else { return nil }
    let parts = String(cString: text).split(separator: "/", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    return LibraryVersion(name: String(parts[0]), version: String(parts[1]))
  }

  /// The number in a text such as `LIBTIFF, Version 4.5.0` and a notice in further lines.
  static func number(in text: String) -> String {
    let line = text.prefix { !$0.isNewline }
    let word = line.split(separator: " ").last { $0.first?.isNumber == true }
    return String(word ?? line)
  }

  /// 2140 is 2.14, and 2141 is 2.14.1.
  static func lcms(_ number: Int32) -> String {
    let patch = number % 10
    return "\(number / 1000).\(number / 10 % 100)" + (patch == 0 ? "" : ".\(patch)")
  }
}
