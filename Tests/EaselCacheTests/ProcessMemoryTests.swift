import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

/// The memory of a process that shows many more pictures than it may keep.
@Suite(
  .tags(.alone),
  .disabled(
    if: ProcessInfo.processInfo.environment["EASEL_SANITIZER"] != nil,
    "A sanitizer takes several times the memory of the process that it watches."))
struct ProcessMemoryTests {
  /// Pictures of equal and of different sizes; the latter are hard for an allocator.
  ///
  /// Their processes run at the same time, and each looks at its own memory alone.
  @Test func twoThousandPicturesStayWithinTheLimitAndALittle() async throws {
    async let same = runBlocking { try Self.run(["2000", "100", "same"]) }
    async let mixed = runBlocking { try Self.run(["2000", "100", "mixed"]) }
    for said in [try await same, try await mixed] {
      #expect(said["loaded"] == 2000)
      #expect(try #require(said["kept"]) > 90 << 20)
      #expect(try #require(said["kept"]) <= 100 << 20)
      #expect(try #require(said["peak"]) > 100 << 20)
      #expect(try #require(said["peak"]) < 140 << 20)
    }
  }

  /// The words and numbers that a new process prints.
  private static func run(_ arguments: [String]) throws -> [String: Int] {
    let path = try #require(ProgramBesideTests.path("EaselMemoryChild"))
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
    return Dictionary(uniqueKeysWithValues: lines.compactMap { $0.count == 2 ? (String($0[0]), Int($0[1])!) : nil })
  }
}
