import EaselCore
import Testing

struct CancellationTests {
  @Test func itIsSetOnceAndForAll() async {
    let cancellation = Cancellation()
    #expect(!cancellation.isCancelled)
    await Task { cancellation.cancel() }.value
    #expect(cancellation.isCancelled)
    cancellation.cancel()
    #expect(cancellation.isCancelled)
  }
}
