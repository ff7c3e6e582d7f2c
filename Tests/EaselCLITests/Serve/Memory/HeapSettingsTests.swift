import CEaselHeap
import Testing

@testable import EaselCLI

struct HeapSettingsTests {
  @Test func aServerHasTwoArenasAndGivesLargeBlocksBack() {
    let settings = HeapSettings(environment: [:])
    #expect(settings.arenas == 2)
    #expect(settings.trimThreshold == 1 << 20 && settings.mapThreshold == 1 << 20)
  }

  @Test(arguments: [
    (["MALLOC_ARENA_MAX": "8"], [false, true, true]), (["MALLOC_TRIM_THRESHOLD_": "1"], [true, false, true]),
    (["MALLOC_MMAP_THRESHOLD_": "1"], [true, true, false]),
    (["GLIBC_TUNABLES": "glibc.malloc.arena_max=4:glibc.malloc.mmap_threshold=9"], [false, true, false]),
    (["GLIBC_TUNABLES": "glibc.malloc.arena_test=4"], [true, true, true]),
  ])
  func whatTheOperatorHasChosenStays(_ environment: [String: String], _ isSet: [Bool]) {
    let settings = HeapSettings(environment: environment)
    #expect([settings.arenas != nil, settings.trimThreshold != nil, settings.mapThreshold != nil] == isSet)
  }

  @Test func theHeapCanBeMeasuredAndGivesBack() {
    var (used, kept) = (0, 0)
    guard easel_heap_measure(&used, &kept) else {
      print("skipped: this C library counts no blocks")
      return
    }
    #expect(used > 0)
    easel_heap_give_back()
    let before = used
    #expect(easel_heap_measure(&used, &kept) && used > 0 && before > 0)
  }
}
