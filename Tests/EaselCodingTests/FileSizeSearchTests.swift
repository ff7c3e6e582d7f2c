import EaselCore
import FoundationEssentials
import Testing

@testable import EaselCoding

struct FileSizeSearchTests {
  private let full = PixelSize(width: 400, height: 200)

  /// A file of 40 bytes of header and, at full quality, one byte for each pixel.
  private func file(_ size: PixelSize, _ quality: Double = 1) -> Data {
    Data(count: 40 + Int(Double(size.area) * quality))
  }

  @Test func whatFitsIsWrittenOnce() throws {
    var calls = 0
    let data = try FileSizeSearch(limit: 80_040, name: "Toy").byQuality(from: full, quality: 1) { size, quality in
      calls += 1
      return file(size, quality)
    }
    #expect(data.count == 80_040)
    #expect(calls == 1)
  }

  @Test(arguments: [(Double.infinity, 1), (.nan, 0), (-3, 0), (7, 1)])
  func aQualityThatIsNoneBecomesTheNearest(asked: Double, tried: Double) throws {
    var first: Double?
    let data = try FileSizeSearch(limit: 30_000, name: "Toy").byQuality(from: full, quality: asked) { size, quality in
      first = first ?? quality
      return file(size, quality)
    }
    #expect(first == tried && data.count <= 30_000)
  }

  @Test(arguments: [79_000, 60_000, 40_000, 21_000])
  func qualityGoesBeforeSize(limit: Int) throws {
    let data = try FileSizeSearch(limit: limit, name: "Toy").byQuality(from: full, quality: 1) { size, quality in
      if size != full { Issue.record("Nothing needs to be smaller than \(full), but \(size) is tried.") }
      return file(size, quality)
    }
    #expect(data.count <= limit)
    #expect(data.count > limit - 1000)
  }

  @Test func sizeGoesWhereNoQualityIsLowEnough() throws {
    var sizes: Set<PixelSize> = []
    let data = try FileSizeSearch(limit: 4000, name: "Toy").byQuality(from: full, quality: 0.8) { size, quality in
      sizes.insert(size)
      #expect(quality >= 0.25)
      return file(size, quality)
    }
    #expect(data.count <= 4000)
    #expect(data.count > 3500)
    #expect(sizes.allSatisfy { abs($0.width - 2 * $0.height) <= 2 })
  }

  @Test func aQualityBelowTheLeastIsNotRaised() throws {
    let data = try FileSizeSearch(limit: 4000, name: "Toy").byQuality(from: full, quality: 0.1) { size, quality in
      #expect(quality == 0.1)
      return file(size, quality)
    }
    #expect(data.count <= 4000)
  }

  @Test func sizeAloneIsLoweredUntilItFits() throws {
    let (size, data) = try FileSizeSearch(limit: 10_000, name: "Toy").bySize(from: full) { file($0) }
    #expect(data.count <= 10_000)
    #expect(data == file(size))
    #expect(size.width > 130)
  }

  @Test func whatNeverFitsIsAnErrorThatSaysBy() throws {
    let search = FileSizeSearch(limit: 39, name: "Toy")
    let error = #expect(throws: ImageError.self) { try search.byQuality(from: full, quality: 1) { file($0, $1) } }
    #expect(error?.code == .encodeFailed)
    #expect(error?.message.contains("Toy: even one pixel takes") == true)
    #expect(error?.message.contains("limit of 39") == true)
  }
}
