import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Three machines, many pictures, in any order.
struct FleetStressTests {
  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func everyPictureIsTransferredDecodedAndEncodedOnce(seed: UInt64) async throws {
    let fleet = Fleet()
    let urls = (0..<60).map { number in
      fleet.place(ToyImage(width: 8, height: 6, seed: UInt64(number)), at: "http://host/\(number).toy")
    }
    await withThrowingTaskGroup(of: Void.self) { group in
      for (number, node) in fleet.nodes.enumerated() {
        var random = SeededRandom(seed: seed * 10 + UInt64(number))
        for url in urls.shuffled(using: &random) {
          group.addTask {
            let result = try await node.encoded(url)
            #expect(result.size == PixelSize(width: 8, height: 6))
          }
        }
      }
    }
    #expect(fleet.loader.callCount == urls.count)
    #expect(fleet.decodeCount == urls.count && fleet.encodeCount == urls.count)
    await fleet.settle()
    #expect(fleet.nodes.flatMap(\.cacheFailures).isEmpty)
    // The clock stood still: nobody waited for a time limit.
    #expect(fleet.clock.uptime == .zero)
    for url in urls {
      let tags = try await fleet.nodes.asyncTags(of: url)
      #expect(tags.count == 1)
    }
  }

  @Test func callersThatGiveUpLoseNothing() async throws {
    let fleet = Fleet()
    let urls = (0..<20).map { number in
      fleet.place(ToyImage(width: 8, height: 6, seed: UInt64(number)), at: "http://host/\(number).toy")
    }
    var random = SeededRandom(seed: 5)
    var impatient: [Task<EncodedImage, any Error>] = []
    var patient: [Task<EncodedImage, any Error>] = []
    for url in urls + urls + urls {
      let node = fleet[Int.random(in: 0..<3, using: &random)]
      let task = Task { try await node.encoded(url) }
      if Bool.random(using: &random) { impatient.append(task) } else { patient.append(task) }
      if Bool.random(using: &random) { await Task.yield() }
      if Bool.random(using: &random) { impatient.randomElement(using: &random)?.cancel() }
    }
    for task in impatient { task.cancel() }
    for task in patient { #expect(try await task.value.size == PixelSize(width: 8, height: 6)) }
    for task in impatient { _ = try? await task.value }
    await fleet.settle()
    #expect(fleet.coordinator.heldCount == 0 && fleet.coordinator.waitingCount == 0)
    for node in fleet.nodes { #expect(node.manager.resultRuns.count == 0 && node.manager.transferRuns.count == 0) }
  }
}

extension [Fleet.Node] {
  /// The different bytes that the machines have for a picture.
  fileprivate func asyncTags(of url: URL) async throws -> Set<String> {
    var tags: Set<String> = []
    for node in self { tags.insert(try await node.encoded(url).entityTag) }
    return tags
  }
}
