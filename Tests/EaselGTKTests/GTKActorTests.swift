import CEaselGTK
import EaselCore
import EaselSupport
import EaselTestTags
import Testing

@testable import EaselGTK

/// The actor of GTK's thread.
@Suite(.tags(.alone), .serialized, .enabled(if: Screen.isReady, Screen.isMissing))
struct GTKActorTests {
  @Test func itsJobsRunOnTheThreadOfGTK() async {
    #expect(!easel_gtk_is_on_thread())
    let isThere = await Task { @GTKActor in
      GTKActor.shared.preconditionIsolated()
      return GTKActor.assumeIsolated { easel_gtk_is_on_thread() }
    }.value
    #expect(isThere)
  }

  @Test func allJobsOfAFloodRun() async {
    let order = Locked<[Int]>([])
    let tasks = (0..<2000).map { number in Task { @GTKActor in order.withLock { $0.append(number) } } }
    for task in tasks { await task.value }
    #expect(order.withLock { $0.sorted() } == Array(0..<2000))
  }

  @Test func anObjectMayEndOnAnyThread() async {
    let textures = await Task { @GTKActor in (0..<10).compactMap { _ in Texture(Image.of(.allRed).bitmap) } }.value
    #expect(textures.count == 10)
  }

  @Test func aMissingDisplayIsSaid() {
    #expect("\(GTKUnavailable(reason: "There is no display."))" == "There is no display.")
  }
}
