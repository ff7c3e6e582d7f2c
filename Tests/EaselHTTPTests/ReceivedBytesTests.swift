import EaselCore
import EaselTestStudio
import Testing

@testable import EaselHTTP

struct ReceivedBytesTests {
  private func append(_ bytes: [UInt8], to received: ReceivedBytes) -> Bool {
    bytes.withUnsafeBytes { received.append($0) }
  }

  private func content(_ bytes: ImageBytes) -> [UInt8]? { bytes.withBytesInMemory { Array($0) } }

  @Test func piecesFollowOneAnother() {
    let received = ReceivedBytes()
    #expect(received.count == 0)
    #expect(append([1, 2, 3], to: received))
    #expect(append([], to: received))
    #expect(append([4], to: received))
    #expect(received.count == 4)
    #expect(content(received.snapshot()) == [1, 2, 3, 4])
  }

  @Test func whatWasShownStaysWhileItGrows() {
    let received = ReceivedBytes()
    var random = SeededRandom(seed: 9)
    var model: [UInt8] = []
    var snapshots: [(ImageBytes, Int)] = []
    for _ in 0..<200 {
      let piece = (0..<random.below(3000)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      #expect(append(piece, to: received))
      model += piece
      snapshots.append((received.snapshot(), model.count))
    }
    for (snapshot, count) in snapshots {
      #expect(snapshot.count == count)
      #expect(content(snapshot) == Array(model[..<count]))
    }
  }

  @Test func aReservedBodyNeverMoves() {
    let received = ReceivedBytes()
    #expect(received.reserve(100_000))
    func address() -> UInt? { received.snapshot().withBytesInMemory { UInt(bitPattern: $0.baseAddress) } }
    let start = address()
    for _ in 0..<100 { #expect(append([UInt8](repeating: 1, count: 1000), to: received)) }
    #expect(address() == start)
    #expect(received.count == 100_000)
  }

  @Test func aLengthThatNoMachineHoldsIsRefusedAndHarmsNothing() {
    let received = ReceivedBytes()
    #expect(append([1], to: received))
    #expect(!received.reserve(.max))
    #expect(!received.reserve(1 << 60))
    #expect(received.reserve(-1))
    #expect(received.reserve(0))
    #expect(append([2], to: received))
    #expect(content(received.snapshot()) == [1, 2])
  }

  @Test func truncatingForgetsTheEndAndLeavesWhatWasShown() {
    let received = ReceivedBytes()
    #expect(append([1, 2, 3, 4, 5], to: received))
    let before = received.snapshot()
    #expect(received.truncate(to: 2))
    #expect(received.count == 2)
    #expect(append([9, 9, 9], to: received))
    #expect(content(received.snapshot()) == [1, 2, 9, 9, 9])
    #expect(content(before) == [1, 2, 3, 4, 5])
    let full = received.snapshot()
    received.truncate(to: 5)
    received.truncate(to: 500)
    #expect(received.count == 5)
    received.truncate(to: 0)
    #expect(received.count == 0 && received.snapshot().isEmpty)
    #expect(append([7], to: received))
    #expect(content(received.snapshot()) == [7])
    #expect(content(full) == [1, 2, 9, 9, 9])
    received.truncate(to: -5)
    #expect(received.count == 0)
  }

  @Test func readersLookOnWhileOneAppends() async {
    let received = ReceivedBytes()
    let total = 300_000
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        var next = 0
        while next < total {
          let piece = (next..<min(total, next + 777)).map { UInt8(truncatingIfNeeded: $0) }
          guard piece.withUnsafeBytes({ received.append($0) }) else { return false }
          next += piece.count
        }
        return true
      }
      for _ in 0..<2 {
        group.addTask {
          var isRight = true
          for _ in 0..<100 {
            let snapshot = received.snapshot()
            let last = snapshot.count - 1
            guard last >= 0 else { continue }
            isRight = isRight && snapshot.withBytesInMemory { $0[last] } == UInt8(truncatingIfNeeded: last)
          }
          return isRight
        }
      }
      for await isRight in group { #expect(isRight) }
    }
    #expect(received.count == total)
  }
}
