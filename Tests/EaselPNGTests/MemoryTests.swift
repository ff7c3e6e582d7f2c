import EaselTestPixels
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

/// The peak memory of a process, which cannot be measured within the tests' own process.
@Suite(
  .tags(.alone),
  .disabled(
    if: ProcessInfo.processInfo.environment["EASEL_SANITIZER"] != nil,
    "A sanitizer takes several times the memory of the process that it watches."))
struct MemoryTests {
  /// Runs the probe program, which is built beside the tests.
  private func probe(_ arguments: [String]) throws -> String? {
    let path = try #require(ProgramBesideTests.path("EaselPNGProbe"))
    return EaselTestPixels.Process.output(of: [path] + arguments, input: []).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func aThumbnailNeverHoldsTheLargePicture() throws {
    let name = "/easel-probe-\(UInt64.random(in: 0 ... .max)).png"
    let file = FileManager.default.temporaryDirectory.path + name
    defer { try? FileManager.default.removeItem(atPath: file) }
    // The pixels alone would take 36 megabytes.
    #expect(try probe(["make", file, "4000", "3000"]) != nil)
    let words = try #require(try probe(["thumbnail", file, "320"])).split(separator: " ")
    #expect(words.first == "320x240")
    let kilobytes = try #require(words.last.flatMap { Int($0.filter(\.isNumber)) })
    #expect(kilobytes < 24 << 10, "\(kilobytes) kB")
  }
}
