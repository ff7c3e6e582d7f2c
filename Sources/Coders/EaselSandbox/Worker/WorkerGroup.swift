import CEaselSandbox
import EaselCore
import EaselFormats
import Glibc

/// The coders that share a worker.
///
/// Each picture's process is a copy of its worker. So the formats of most pictures have a worker without the libraries and
/// the memory of all others, whose copies take less than half the time.
enum WorkerGroup: String, CaseIterable, Sendable {
  case others
  /// The coders of formats whose cards say that they may be decoded in the process.
  case common

  init(of coder: any ImageCoder) {
    let cards = FormatCards.cards(of: coder)
    self = !cards.isEmpty && cards.allSatisfy(\.isTrusted) ? .common : .others
  }

  /// Makes copies of this process cheaper: removes the libraries that only other groups use, and notes the code in use.
  func prepareForCopies() {
    guard self == .common else { return }
    let names = Self.libraries.map { strdup($0) }
    let beginnings = names.map { UnsafePointer($0) } + [nil]
    beginnings.withUnsafeBufferPointer { _ = easel_sandbox_drop_libraries($0.baseAddress) }
    for name in names { free(name) }
    easel_sandbox_find_code()
  }

  /// The libraries that programs with Easel or Foundation name, and that the common coders do not use.
  private static let libraries = [
    "libcurl.", "libxml2.", "libssl.", "libcrypto.", "libsqlite3.", "libhiredis.", "libzstd.", "libbrotli", "libavif.",
    "libdav1d.", "libde265.", "libjxl", "libopenjp2.", "libtiff.", "librsvg-", "libcairo.", "libgio-", "libgobject-",
    "libglib-", "libpango", "libfontconfig.", "libfreetype.",
  ]
}
