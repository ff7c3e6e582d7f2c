import Easel
import EaselService
import Foundation
import NIOPosix

/// A folder of pictures, and the signatures of their addresses.
struct Album: Sendable {
  let folder: String
  let signer: URLSigner

  /// Makes the folder if there is none.
  init(folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    self.folder = folder
    // Each server has a key and a salt of its own: `openssl rand -hex 32` prints one.
    signer = try URLSigner([URLSigner.Key(hexadecimal: "736563726574", salt: "68656c6c6f")])
  }

  /// Keeps a picture, and returns the name of its file.
  func add(_ picture: EncodedImage) async throws -> String {
    let name = "\(UUID()).webp"
    let bytes = try picture.bytes.data()
    // Files block, and threads of requests must not.
    try await NIOThreadPool.singleton.runIfActive { try bytes.write(to: URL(filePath: "\(folder)/\(name)")) }
    return name
  }

  /// Removes a picture; false if there is none of this name.
  func remove(_ name: String) async throws -> Bool {
    guard UUID(uuidString: String(name.dropLast(5))) != nil, name.hasSuffix(".webp") else { return false }
    return try await NIOThreadPool.singleton.runIfActive {
      guard FileManager.default.fileExists(atPath: "\(folder)/\(name)") else { return false }
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
      return true
    }
  }

  /// The name of a picture as a source, by which it is purged.
  func source(of name: String) -> String { "local:///\(name)" }

  /// The signed path of a smaller picture.
  func path(of name: String, width: Int) -> String {
    "/pictures" + signer.signed("/rs:fit:\(width):\(width)/plain/\(source(of: name))")
  }
}
