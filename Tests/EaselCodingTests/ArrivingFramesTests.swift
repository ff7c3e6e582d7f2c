import EaselCore
import Testing

@testable import EaselCoding

struct ArrivingFramesTests {
  @Test func copiesShareOneListAndSeeOnlyTheirOwnFrames() {
    var row = ArrivingFrames<Int>()
    var copies: [ArrivingFrames<Int>] = []
    for number in 0..<1000 {
      row.append(number)
      copies.append(row)
    }
    #expect(row.count == 1000 && row.all == Array(0..<1000))
    for (index, copy) in copies.enumerated() {
      #expect(copy.count == index + 1 && copy.last == index)
      #expect(copy.sharesList(with: row))
    }
    #expect(copies[9].all == Array(0..<10))
  }

  @Test func aCopyThatGoesOnByItselfLeavesTheOthersAlone() {
    var row = ArrivingFrames<Int>()
    row.append(1)
    var other = row
    row.append(2)
    other.append(3)
    other.append(4)
    #expect(row.all == [1, 2] && other.all == [1, 3, 4])
    #expect(row[1] == 2 && other[1] == 3 && row.first == 1)
  }

  @Test func aRowWithoutFramesHasNone() {
    let row = ArrivingFrames<Int>()
    #expect(row.isEmpty && row.first == nil && row.last == nil && row.all.isEmpty)
  }
}
