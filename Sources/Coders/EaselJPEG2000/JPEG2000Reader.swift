import CEaselJPEG2000
import EaselCore

/// Decodes a part of a codestream through OpenJPEG and holds its samples.
final class JPEG2000Reader {
  private let picture: OpaquePointer
  let status: easel_jpeg2000_status
  let part: JPEG2000Part

  deinit { easel_jpeg2000_picture_destroy(picture) }

  /// Decodes a part of the codestream of a file.
  ///
  /// With `showsParts`, what is unreadable is left out.
  init(
    _ part: JPEG2000Part, of bytes: ImageBytes, in file: JPEG2000File, showsParts: Bool, work: WorkContext
  ) throws(ImageError) {
    self.part = part
    let stream = file.stream
    var form = easel_jpeg2000_form(
      left: UInt32(stream.left), top: UInt32(stream.top), right: UInt32(stream.right), bottom: UInt32(stream.bottom),
      components: UInt32(stream.components.count))
    var area = part.area
    var made: OpaquePointer?
    let source = JPEG2000Source(bytes, file.range, work: work)
    status = source.withBytes { bytes in
      easel_jpeg2000_picture_decode(bytes, &form, &area, UInt32(part.halvings), showsParts, &made)
    }
    guard let made else { throw .exhausted("JPEG 2000: there is no memory to read a picture.") }
    picture = made
    if let failure = source.failure { throw failure }
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
