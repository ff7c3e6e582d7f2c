import EaselCore
import FoundationEssentials
import Testing

struct PooledDataTests {
  private func data(_ count: Int, of byte: UInt8) throws -> Data {
    try Data(pooledCount: count) { $0.initializeMemory(as: UInt8.self, repeating: byte) }
  }

  @Test(arguments: [0, 1, 64, 65_535, 65_536, 1_000_001])
  func itHoldsWhatWasWritten(count: Int) throws {
    #expect(try data(count, of: 7) == Data(repeating: 7, count: count))
  }

  @Test func twoAtOnceHaveMemoryOfTheirOwn() throws {
    let (first, second) = (try data(100_000, of: 1), try data(100_000, of: 2))
    #expect(first.allSatisfy { $0 == 1 } && second.allSatisfy { $0 == 2 })
  }

  @Test func aChangedCopyLeavesTheOriginalAlone() throws {
    let original = try data(100_000, of: 1)
    var copy = original
    copy.append(2)
    copy[0] = 3
    #expect(original == Data(repeating: 1, count: 100_000) && copy.count == 100_001)
  }

  @Test func anErrorComesThrough() {
    #expect(throws: ImageError.self) { try Data(pooledCount: 100_000) { _ in throw ImageError(.cancelled, "Stop.") } }
  }

  @Test func moreThanTheSystemHasIsAnError() {
    let error = #expect(throws: ImageError.self) { try Data(pooledCount: .max) { _ in } }
    #expect(error?.message.contains("\(Int.max) bytes") == true, "\(error as Any)")
  }
}
