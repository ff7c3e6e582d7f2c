import EaselCore
import FoundationEssentials

extension ImageBytes {
  /// The bytes with some parts replaced, for a library that would misunderstand the file.
  package func patched(by patches: [(offset: Int, bytes: [UInt8])]) throws(ImageError) -> ImageBytes {
    guard !patches.isEmpty else { return self }
    var data = try data()
    for patch in patches {
      let start = data.startIndex + patch.offset
      data.replaceSubrange(start..<start + patch.bytes.count, with: patch.bytes)
    }
    return ImageBytes(data)
  }
}
