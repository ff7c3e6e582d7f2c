import Easel
import Foundation
import Testing

/// The comparison of a file with what was made from it, as the guide shows it.
struct VisualScoreSnippetTests {
  // Documentation: getting started.
  @Test func moreQualityHasAHigherScore() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "easel-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "source.png")
    try await Image(try waves()).write(to: source)
    var scores: [Double] = []
    for quality in [0.2, 0.6, 0.95] {
      let target = folder.appending(path: "\(quality).jpg")
      try await Image(contentsOf: source).write(to: target, options: EncodeOptions(quality: quality))
      func score() async throws -> Double {
        let original = try await Image(contentsOf: source)
        let copy = try await Image(contentsOf: target)
        return try original.visualScore(of: copy)
      }
      scores.append(try await score())
    }
    #expect(scores == scores.sorted() && scores[0] < 80 && scores[2] > 85 && scores[2] < 100, "\(scores)")
  }

  private func waves() throws -> Bitmap {
    var bitmap = try Bitmap(size: PixelSize(width: 200, height: 150), format: .opaqueRGBA8)
    bitmap.withUnsafeMutableBytes { bytes in
      for index in 0..<bytes.count where index % 4 < 3 {
        let (x, y) = (Double(index / 4 % 200), Double(index / 800))
        let fast: Double = 70 * sin(x / 9 + y / Double(5 + index % 4))
        let slow: Double = 50 * sin(y / 23 - x / 31)
        bytes[index] = UInt8(127 + fast + slow)
      }
      for index in stride(from: 3, to: bytes.count, by: 4) { bytes[index] = 255 }
    }
    return bitmap
  }
}
