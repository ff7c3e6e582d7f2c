import CEaselPixels
import Testing

extension SerializedPixelTests {
  @Suite struct SalienceTests {
    private func scores(_ width: Int, _ height: Int, _ cells: [UInt8]) -> [UInt32] {
      var scores = [UInt32](repeating: .max, count: width * height)
      easel_salience(cells, width, height, &scores)
      return scores
    }

    @Test func onlyColourAttractsWithoutEdges() {
      func score(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8 = 255) -> UInt32 {
        let scores = scores(3, 2, Array(repeating: [red, green, blue, alpha], count: 6).flatMap { $0 })
        #expect(Set(scores).count == 1)
        return scores[0]
      }
      #expect(score(0, 0, 0) == 0)
      let gray = score(128, 128, 128)
      #expect(gray == score(255, 255, 255))
      #expect(score(220, 160, 125) > 2 * gray, "skin")
      #expect(score(90, 62, 48) > gray, "dark skin")
      #expect(score(0, 0, 255) > 2 * gray && score(255, 0, 0) > 2 * gray && score(0, 200, 0) > gray, "saturated")
      #expect(score(20, 0, 0) < gray, "dark")
      #expect(score(255, 0, 0, 128) < score(255, 0, 0) && score(255, 0, 0, 0) == 0)
    }

    @Test func edgesAttractUnlessTheyAreTransparent() {
      func row(_ levels: [UInt8], _ alphas: [UInt8]) -> [UInt32] {
        scores(levels.count, 1, zip(levels, alphas).flatMap { [$0, $0, $0, $1] })
      }
      let flat = row([200, 200, 200, 200], [255, 255, 255, 255])
      let edge = row([200, 200, 20, 20], [255, 255, 255, 255])
      #expect(edge[0] == flat[0] && edge[1] > 4 * flat[1] && edge[2] > 4 * flat[2])
      let hidden = row([200, 200, 20, 20], [255, 255, 0, 0])
      #expect(hidden == [flat[0], flat[1], 0, 0])
    }

    @Test func theBestWindowIsThatOfAllWindows() {
      var noise = Noise(33)
      for _ in 0..<60 {
        let (width, height) = (noise.next(in: 1...14), noise.next(in: 1...14))
        let (columns, rows) = (noise.next(in: 1...width), noise.next(in: 1...height))
        let scores = (0..<width * height).map { _ in UInt32(noise.next(in: 0...3)) }
        var (x, y) = (-1, -1)
        easel_best_window(scores, width, height, columns, rows, &x, &y)
        let expected = best(scores, width, height, columns, rows)
        #expect([x, y] == expected, "\(columns)x\(rows) in \(width)x\(height)")
      }
    }

    @Test func equalWindowsLieInTheMiddle() {
      for score in [UInt32(0), 7, 60_000] {
        var (x, y) = (-1, -1)
        easel_best_window([UInt32](repeating: score, count: 64 * 64), 64, 64, 30, 12, &x, &y)
        #expect(x == 17 && y == 26)
      }
    }

    private func best(_ scores: [UInt32], _ width: Int, _ height: Int, _ columns: Int, _ rows: Int) -> [Int] {
      func weight(_ index: Int, _ window: Int, _ full: Int) -> Int {
        window == full ? 1 : 2 * min(index, window - 1 - index) + 1
      }
      var best = (sum: -1, distance: 0, place: [0, 0])
      for y in 0...(height - rows) {
        for x in 0...(width - columns) {
          var sum = 0
          for j in 0..<rows {
            for i in 0..<columns {
              sum += Int(scores[(y + j) * width + x + i]) * weight(i, columns, width) * weight(j, rows, height)
            }
          }
          let (dx, dy) = (2 * x - (width - columns), 2 * y - (height - rows))
          let distance = dx * dx + dy * dy
          if sum > best.sum || (sum == best.sum && distance < best.distance) { best = (sum, distance, [x, y]) }
        }
      }
      return best.place
    }
  }
}
