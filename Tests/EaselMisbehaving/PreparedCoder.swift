import EaselCore
import Glibc
import Synchronization

/// A coder that opens a file before the sandbox closes, and starts threads in it.
///
/// The colour of its pictures is made of the file, which cannot be opened later.
package struct PreparedCoder: SandboxGuest {
  private static let file = "/proc/version"
  private static let signature = Array("EASEL-PREPARED".utf8)
  private static let prepared = Mutex<UInt8?>(nil)

  package init() {}

  package let identifier = "prepared"
  package let formats = [ImageFormat(mimeType: "image/x-prepared")]
  package let startsThreads = true
  package let staysInSandbox = true

  /// The bytes of a picture.
  package static let picture = ImageBytes(signature)

  package func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: Self.signature) }

  package func prepareForSandbox(threadsEnd: @convention(c) () -> Bool) throws -> ImageBytes? {
    guard let color = Self.colorOfFile else { throw ImageError(.badImageData, "Prepared: there is no \(Self.file).") }
    Self.prepared.withLock { $0 = color }
    // A thread that ends, as a library may start one.
    try startThread()
    guard threadsEnd() else { throw ImageError(.badImageData, "Prepared: a thread stays.") }
    return Self.picture
  }

  package func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    ImageHeader(format: formats[0], storedSize: PixelSize(width: 4, height: 4))
  }

  package func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    guard let color = Self.prepared.withLock({ $0 }) else {
      throw ImageError(.badImageData, "Prepared: nothing was prepared in this process.")
    }
    try startThread()
    var bitmap = try Bitmap(size: options.targetSize(for: probe(bytes, work: work)), format: .opaqueRGBA8)
    bitmap.withUnsafeMutableBytes { bytes in
      for place in bytes.indices { bytes[place] = place % 4 == 3 ? 255 : color }
    }
    return Image(bitmap, format: formats[0])
  }

  /// A number that is made of the file; nil where the file cannot be opened.
  package static var colorOfFile: UInt8? {
    let descriptor = open(file, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &bytes, bytes.count)
    return count > 0 ? bytes.prefix(count).reduce(1) { $0 &* 31 &+ $1 } : nil
  }

  private func startThread() throws {
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, { _ in nil }, nil)
    guard code == 0 else { throw ImageError(.badImageData, "Prepared: a thread was refused with \(code).") }
    pthread_join(thread, nil)
  }
}
