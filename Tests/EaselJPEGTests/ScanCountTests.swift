import EaselCore
import EaselTestPixels
import Testing

@testable import EaselJPEG

/// The time that scans take is known from the file before it is decoded.
struct ScanCountTests {
  private func file(_ change: (inout EncodeOptions) -> Void = { _ in }) throws -> [UInt8] {
    try Pictures.array(Pictures.file(Image(Bitmap.waves(400, 300)), change))
  }

  private func effort(_ file: [UInt8]) throws -> Duration? {
    try JPEGCoder().probe(ImageBytes(file), work: WorkContext()).effort
  }

  private func scans(_ file: [UInt8]) throws -> Int {
    try JPEGScanCount.count(
      in: ImageBytes(file), from: JPEGScanner.file(in: ImageBytes(file), work: WorkContext()).pixelStart, atMost: 200,
      work: WorkContext())
  }

  @Test func aPictureWithOneScanIsWhatItsPixelsSay() throws { #expect(try effort(file()) == nil) }

  @Test func scansAreCounted() throws {
    let progressive = try file { $0.progressive = true }
    let heads = (0..<progressive.count - 1).count { progressive[$0] == 0xFF && progressive[$0 + 1] == 0xDA }
    #expect(heads > 5)
    #expect(try scans(progressive) == heads)
    #expect(try effort(progressive) == JPEGScanCount.effort(scans: heads, pixels: 120_000, bytes: progressive.count))
  }

  /// Few bytes, each scan of which is a pass over all blocks.
  @Test func emptyScansOfALargePictureAreMuchWork() throws {
    var bomb = try file { $0.progressive = true }
    bomb.removeLast(2)
    let start = try #require((0..<bomb.count - 1).last { bomb[$0] == 0xFF && bomb[$0 + 1] == 0xDA })
    let scan = bomb[start...]
    for _ in 0..<300 { bomb += scan }
    #expect(try scans(bomb) == 200)
    #expect(JPEGScanCount.effort(scans: 200, pixels: 40_000_000, bytes: 50_000) > .milliseconds(900))
  }

  /// A marker that lies across two parts of the file is found once.
  @Test(arguments: -3...3) func markersAreFoundOnce(shift: Int) throws {
    var bytes = [UInt8](repeating: 0, count: 600_000)
    let place = (256 << 10) + shift
    bytes.replaceSubrange(place..<place + 2, with: [0xFF, 0xDA])
    #expect(try JPEGScanCount.count(in: ImageBytes(bytes), from: 0, atMost: 200, work: WorkContext()) == 2)
    #expect(try JPEGScanCount.count(in: ImageBytes(bytes), from: 0, atMost: 1, work: WorkContext()) == 1)
  }
}
