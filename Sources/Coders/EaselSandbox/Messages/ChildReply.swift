import EaselCore

/// An answer of a child.
enum ChildReply {
  case header(ImageHeader)
  case picture(StoredImage)
  /// The bytes so far show nothing, or nothing new.
  case nothing
  case frame(StoredBitmap)
  case metadataBytes(Int?)
  case repacked(StoredFile?)
  case failure(StoredFailure)

  init(_ bytes: [UInt8]) throws(MessageReader.Malformed) {
    var reader = MessageReader(bytes)
    switch try reader.int() {
    case 0: self = .header(try ImageHeader(&reader))
    case 1: self = .picture(try StoredImage(&reader))
    case 2: self = .frame(try StoredBitmap(&reader))
    case 3:
      self = .metadataBytes(
        try reader.optional { reader throws(MessageReader.Malformed) in try reader.count() })
    case 4: self = .failure(try StoredFailure(&reader))
    case 5:
      self = .repacked(
        try reader.optional { reader throws(MessageReader.Malformed) in try StoredFile(&reader) })
    case 6: self = .nothing
    default: throw MessageReader.Malformed()
    }
    guard reader.left == 0 else { throw MessageReader.Malformed() }
  }

  var bytes: [UInt8] {
    var writer = MessageWriter()
    switch self {
    case .header(let header):
      writer.add(0)
      header.write(to: &writer)
    case .picture(let picture):
      writer.add(1)
      picture.write(to: &writer)
    case .frame(let bitmap):
      writer.add(2)
      bitmap.write(to: &writer)
    case .metadataBytes(let count):
      writer.add(3)
      writer.add(count) { $0.add($1) }
    case .failure(let failure):
      writer.add(4)
      failure.write(to: &writer)
    case .repacked(let file):
      writer.add(5)
      writer.add(file) { $1.write(to: &$0) }
    case .nothing: writer.add(6)
    }
    return writer.bytes
  }
}

/// The place of a whole file that a child wrote into its output file.
struct StoredFile: Equatable {
  var offset: Int
  var byteCount: Int

  init(offset: Int, byteCount: Int) { (self.offset, self.byteCount) = (offset, byteCount) }

  init(_ reader: inout MessageReader) throws(MessageReader.Malformed) {
    self.init(offset: try reader.count(), byteCount: try reader.count())
    guard byteCount > 0 else { throw MessageReader.Malformed() }
  }

  func write(to writer: inout MessageWriter) {
    writer.add(offset)
    writer.add(byteCount)
  }
}

/// An error of the coder in the child.
struct StoredFailure: Equatable {
  var code: ImageError.Code
  var message: String
  /// True if the child lacked memory or another resource.
  var isExhaustion: Bool

  init(_ error: any Error) {
    let known = ImageError.wrapping(error, as: .badImageData, "The picture could not be decoded: \(error)")
    // The other codes are about URLs, servers and caches, which a child cannot know.
    code = Self.codes.contains(known.code) ? known.code : .badImageData
    message = known.message
    isExhaustion = known.isExhaustion
  }

  init(_ reader: inout MessageReader) throws(MessageReader.Malformed) {
    guard let code = ImageError.Code(rawValue: try reader.int()), Self.codes.contains(code) else {
      throw MessageReader.Malformed()
    }
    self.code = code
    message = try reader.sentence()
    isExhaustion = try reader.flag()
  }

  func write(to writer: inout MessageWriter) {
    writer.add(code.rawValue)
    writer.add(message)
    writer.add(isExhaustion)
  }

  private static let codes: [ImageError.Code] = [.badImageData, .unsupportedFormat, .limitExceeded]
}

/// Reads an answer from bytes and writes it again; nil if the bytes are no answer.
///
/// The fuzzer uses this function.
package func rewrittenSandboxAnswer(_ bytes: [UInt8]) -> [UInt8]? { try? ChildReply(bytes).bytes }
