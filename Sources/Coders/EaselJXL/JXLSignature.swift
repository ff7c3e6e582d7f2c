/// The bytes at the start of a bare codestream or of a container of boxes.
enum JXLSignature {
  private static let codestream: [UInt8] = [0xFF, 0x0A]
  static let container: [UInt8] = [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]

  static func isPresent(in prefix: [UInt8]) -> Bool {
    prefix.count > codestream.count && prefix.starts(with: codestream) || prefix.starts(with: container)
  }
}
