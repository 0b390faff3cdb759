// The middle of two indices, as it stood in a library for nine years.
public class Average {
    static int middle(int low, int high) {
        if (low < 0 || high < low)
            throw new IllegalArgumentException();
        int middle = (low + high) / 2;
        assert middle >= low && middle <= high;
        return middle;
    }

    static void check(int low, int high) {
        if (low >= 0 && high >= low)
            middle(low, high);
    }
}
