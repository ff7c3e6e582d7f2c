import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// The reports of progress that a caller gets.
struct ProgressTests {
  let url = URL(string: "http://host/a.toy")!
  let count = ToyImage.small.bytes.count

  private func progress(_ script: FakeLoader.Script..., interval: Double = 0.01) async throws -> [[Int?]] {
    let studio = Studio {
      $0.minimumProgressInterval = interval
      $0.retryPolicy = FakeRetryPolicy(.retry(after: .zero))
    }
    for script in [script] {
      if script.count == 1 {
        studio.loader.script(url, script[0])
      } else {
        studio.loader.script(url, script[0], script[1])
      }
    }
    studio.loader.suspend(url)
    let task = studio.manager.load(url)
    await studio.loader.waitUntilSuspended(url)
    let events = studio.events(of: task)
    studio.loader.resume(url)
    _ = try await task.image
    return await events.value.compactMap(\.progress)
  }

  @Test func itBeginsUnknownAndEndsWithTheWhole() async throws {
    let steps = try await progress(.body(ToyImage.small.bytes, chunkSize: 60))
    #expect(steps == [[0, nil], [0, count], [60, count], [120, count], [180, count], [count, count]])
  }

  @Test(arguments: [1, .infinity, .nan, -1]) func noLengthAndNoIntervalIsTooLargeToCount(_ interval: Double) async {
    let studio = Studio {
      $0.minimumProgressInterval = interval
      $0.limits.downloadBytes = .max
    }
    var script = FakeLoader.Script.body(ToyImage.small.bytes)
    script.steps[0] = .head(ResponseHead(status: 200, expectedLength: .max))
    studio.loader.script(url, script)
    #expect(await studio.failure(url)?.code == .truncatedBody)
  }

  @Test(arguments: [(0.25, 4), (0.5, 2), (1.0, 1)])
  func aStepOfTheWholeMustComeBetweenReports(_ interval: Double, _ reports: Int) async throws {
    let steps = try await progress(.body(ToyImage.small.bytes, chunkSize: 1), interval: interval)
    #expect(steps.count == 2 + reports)
    let received = steps.dropFirst().compactMap { $0[0] }
    let step = Double(count) * interval
    #expect(zip(received, received.dropFirst()).dropLast().allSatisfy { Double($1 - $0) >= step.rounded(.down) })
    #expect(steps.last == [count, count])
  }

  @Test func theEndIsAlwaysReported() async throws {
    let steps = try await progress(.body(ToyImage.small.bytes, chunkSize: 150), interval: 0.6)
    #expect(steps == [[0, nil], [0, count], [150, count], [count, count]])
  }

  @Test func withoutALengthEveryChunkReports() async throws {
    let steps = try await progress(
      .body(ToyImage.small.bytes, chunkSize: 100, announcesLength: false), interval: 0.5)
    #expect(steps == [[0, nil], [0, nil], [100, nil], [200, nil], [count, nil]])
  }

  @Test func bytesThatLieReadyAreReportedAtOnce() async throws {
    let steps = try await progress(.ready(ToyImage.small.imageBytes))
    #expect(steps == [[0, nil], [0, count], [count, count]])
  }

  @Test func anotherAttemptBeginsAnew() async throws {
    let steps = try await progress(
      .failure(ImageError(.network, "Cut."), after: 100, of: ToyImage.small.bytes), .body(ToyImage.small.bytes))
    #expect(steps == [[0, nil], [0, count], [100, count], [0, nil], [0, count], [count, count]])
  }

  @Test func aRestartCountsFromItsOffset() async throws {
    var script = FakeLoader.Script.body(ToyImage.small.bytes, chunkSize: 112)
    script.steps.insert(contentsOf: [.restart(at: 0), .chunk(Array(ToyImage.small.bytes.prefix(112)))], at: 2)
    #expect(try await progress(script) == [[0, nil], [0, count], [112, count], [112, count], [count, count]])
  }

  @Test func whoJoinsLateIsToldWhereItStands() async throws {
    let studio = Studio()
    studio.place(.small, chunkSize: 100)
    studio.loader.suspend(url, at: .step(2))
    let first = studio.manager.load(url)
    await studio.loader.waitUntilSuspended(url, at: .step(2))
    let reports = Locked<[[Int?]]>([])
    let late = studio.manager.load(url, context: [.thumbnailSize(PixelSize(width: 2, height: 2))])
    let events = studio.events(of: late)
    let hasJoined = AsyncGate()
    let watcher = Task {
      for await event in late.events {
        if let step = event.progress {
          reports.withLock { $0.append(step) }
          if step[0] == 100 { hasJoined.open() }
        }
      }
    }
    try await hasJoined.pass()
    studio.loader.resume(url, at: .step(2))
    _ = try await late.image
    _ = try await first.image
    await watcher.value
    #expect(reports.withLock { $0.last } == [count, count])
    let all = await events.value.compactMap(\.progress)
    #expect(all.last == [count, count])
    #expect(all.allSatisfy { $0[1] == nil || $0[1] == count })
    #expect(studio.loader.callCount == 1)
  }

  @Test func aMemoryHitReportsNothing() async throws {
    let studio = Studio()
    studio.place(.small)
    try await studio.warm(url)
    let task = studio.manager.load(url)
    let events = studio.events(of: task)
    _ = try await task.image
    #expect(await events.value.isEmpty)
  }
}
