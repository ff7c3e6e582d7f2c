import CEaselJPEG2000
import EaselCoding
import EaselCore

/// Decodes a codestream through OpenJPEG and holds its samples.
final class JPEG2000Reader {
  private let picture: OpaquePointer
  let status: easel_jpeg2000_status
  let halvings: Int

  deinit { easel_jpeg2000_picture_destroy(picture) }

  /// Decodes the codestream of a file, reduced by halvings.
  ///
  /// With `showsParts`, unreadable parts are left out.
  init(
    _ bytes: UnsafeRawBufferPointer, of file: JPEG2000File, halvings: Int, showsParts: Bool, work: WorkContext
  ) throws(ImageError) {
    self.halvings = halvings
    let stream = file.stream
    var form = easel_jpeg2000_form(
      left: UInt32(stream.left), top: UInt32(stream.top), right: UInt32(stream.right), bottom: UInt32(stream.bottom),
      components: UInt32(stream.components.count))
    let part = UnsafeRawBufferPointer(rebasing: bytes[file.range])
    var made: OpaquePointer?
    status = CancellationCheck(work).asked {
      easel_jpeg2000_picture_decode(
        part.baseAddress?.assumingMemoryBound(to: UInt8.self), part.count, &form, UInt32(halvings), showsParts, $0, $1,
        &made)
    }
    guard let made else { throw .exhausted("JPEG 2000: there is no memory to read a picture.") }
    picture = made
    try work.checkCancellation()
    guard status != EASEL_JPEG2000_NO_MEMORY else {
      throw .exhausted("JPEG 2000: there is no memory to read a picture.")
    }
  }

  /// A description of the damage.
  var damage: String {
    let text = String(cString: easel_jpeg2000_picture_message(picture))
    return "some of the pixels cannot be read" + (text.isEmpty ? "" : " (OpenJPEG: \(text))")
  }

  /// The samples of a component, which live as long as this object.
  func plane(_ component: Int) -> easel_jpeg2000_plane? {
    var plane = easel_jpeg2000_plane()
    return easel_jpeg2000_picture_plane(picture, UInt32(component), &plane) ? plane : nil
  }
}
